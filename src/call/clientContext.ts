import type { AnyHarvest } from "../errors/index.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import type { Redact } from "../service/paging/unreadableBody.js";
import type { OutputSettings } from "./clientSettings.js";

/** What all methods of a client share. */
export interface ClientContext extends Service {
  readonly requester: Requester;
  readonly output: OutputSettings;
  /** Requests in parallel. */
  readonly concurrency: number;
  /** Removes the API key from text. */
  readonly redact: Redact;
  /** Keeps the last harvest for `archive.lastHarvest()`. */
  readonly remember: (harvest: AnyHarvest) => void;
}

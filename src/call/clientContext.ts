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
  /** Keeps a harvest for `archive.lastHarvest()` and `archive.harvests()`. */
  readonly remember: (harvest: AnyHarvest) => void;
}

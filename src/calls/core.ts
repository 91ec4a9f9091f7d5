import type { Asker } from "../service/http/asker.js";
import type { Service } from "../service/pages/account.js";
import type { Redact } from "../service/pages/page.js";
import type { OutputSettings } from "./clientSettings.js";
import type { AnyHarvest } from "./harvest.js";

/** What the methods of a client share. */
export interface Core extends Service {
  readonly asker: Asker;
  readonly output: OutputSettings;
  /** Requests at once. */
  readonly concurrency: number;
  /** Takes the key out of a text. */
  readonly redact: Redact;
  /** Keeps the last harvest for `archive.lastHarvest()`. */
  readonly remember: (harvest: AnyHarvest) => void;
}

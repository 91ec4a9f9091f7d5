import type { AnyFetchedResult } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { RecordedDays } from "../responses/snapshots.js";
import type { Requester } from "../service/http/requester.js";
import type { OperationName } from "../service/operations/operations.js";
import type { Redact } from "../service/paging/page.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import type { OutputSettings } from "./clientSettings.js";

export interface ClientContext extends Service {
  readonly requester: Requester;
  readonly output: OutputSettings;
  readonly concurrency: number;
  /** Removes the API key from text. */
  readonly redact: Redact;
  /** For a replay: when its responses were recorded. A range that ends "today" ends on that day. */
  readonly recorded?: RecordedDays | undefined;
  /** Sets the result of `archive.lastResult()`. */
  readonly remember: (fetched: AnyFetchedResult) => void;
}

const contexts = new WeakMap<object, ClientContext>();

/** Registers the context of a client for {@link contextOf}. */
export function setContext(client: Readonly<Record<OperationName, unknown>>, context: ClientContext): void {
  contexts.set(client, context);
}

/** The context of a client, for the other entry points. The client does not expose it. */
export function contextOf(client: unknown): ClientContext {
  const context = typeof client === "object" && client !== null ? contexts.get(client) : undefined;
  if (context !== undefined) return context;
  throw invalid("archive", client, "Give a client, for example archive: await openArchive().");
}

import type { AnyFetchedResult } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { RecordedDays } from "../responses/responseStore.js";
import type { Requester } from "../service/http/requester.js";
import type { OperationName } from "../service/operations/operations.js";
import type { Redact } from "../service/paging/page.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import type { OutputSettings } from "./clientSettings.js";

/** What all methods of a client share. */
export interface ClientContext extends Service {
  readonly requester: Requester;
  readonly output: OutputSettings;
  /** Requests in parallel. */
  readonly concurrency: number;
  /** Removes the API key from text. */
  readonly redact: Redact;
  /** Of a replay: when its responses were recorded. What ends "today" ended then. */
  readonly recorded?: RecordedDays | undefined;
  /** Fetches the windows of a corpus in other processes: the `WindowFetcher` of a fleet. */
  readonly windowFetcher?: object | undefined;
  /** Keeps a result for `archive.lastResult()` and `archive.results()`. */
  readonly remember: (fetched: AnyFetchedResult) => void;
}

const contexts = new WeakMap<object, ClientContext>();

/** Makes the context of a client, which has a method for each operation, available to {@link contextOf}. */
export function setContext(client: Readonly<Record<OperationName, unknown>>, context: ClientContext): void {
  contexts.set(client, context);
}

/** The context of a client, for the modules that are entry points of their own. The client has no public member for it. */
export function contextOf(client: unknown): ClientContext {
  const context = typeof client === "object" && client !== null ? contexts.get(client) : undefined;
  if (context !== undefined) return context;
  throw invalid("archive", client, "Give a client, for example archive: await openArchive().");
}

import type { AnyFetchedResult } from "../errors/index.js";
import { invalid, oneOf, positiveInteger } from "../errors/validators.js";
import { ENGINES, type Engine, loadEngine } from "../frames/engine.js";
import {
  type CacheOptions,
  checkStorageOptions,
  type SnapshotOptions,
  type StorageOptions,
} from "../responses/options.js";
import type { OpenSnapshot } from "../responses/snapshots.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import type { Requester } from "../service/http/requester.js";
import type { OperationName } from "../service/operations/operations.js";
import { PageSize, type Redact } from "../service/paging/page.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { isObject, withoutNulls } from "../util/objects.js";
import { FORMATS, type Format } from "./callOptions.js";
import { type NotebookHost, notebookHost, type ProgressOption } from "./progress.js";

/** What the calls of a client share. */
export interface ClientContext extends Service {
  readonly requester: Requester;
  readonly output: OutputSettings;
  readonly concurrency: number;
  /** Removes the API key from text. */
  readonly redact: Redact;
  /** For a replay: when its responses were recorded. A range that ends "today" ends on that day. */
  readonly recorded?: OpenSnapshot["recorded"];
  /** Sets the result of `archive.lastResult()`. */
  readonly remember: (fetched: AnyFetchedResult) => void;
}

const contexts = new WeakMap<object, ClientContext>();

export function setContext(client: Readonly<Record<OperationName, unknown>>, context: ClientContext): void {
  contexts.set(client, context);
}

/** The context of a client, for the other entry points. The client does not expose it. */
export function contextOf(client: unknown): ClientContext {
  const context = typeof client === "object" && client !== null ? contexts.get(client) : undefined;
  if (context !== undefined) return context;
  throw invalid("archive", client, "Give a client, for example archive: await openArchive().");
}

/** Options for results and stored responses. */
export interface OutputOptions<F extends Format = Format, E extends Engine = Engine> extends ClientOptions {
  /** Format of results: "dataframe" (default), "json", "records" or "csv". A call may override it with `format`. */
  outputFormat?: F | undefined;
  /** Dataframe library of results: "polars" (default) or "danfo". A call may override it. */
  engine?: E | undefined;
  /** Rows per page of `mentions`, if several are fetched and the call sets no `limit`. Default: 1000, or the service's if it refuses. */
  pageSize?: number | undefined;
  /**
   * Called after every page and before every wait; `true` for a line on the terminal from the start, `false` for none. Default: a line on
   * stderr after one second, if stderr is a terminal.
   */
  progress?: ProgressOption | undefined;
  /** Store responses in a directory and replay them without a key or network: `{ dir: "study/", mode: "replay" }`. */
  snapshot?: SnapshotOptions | undefined;
  /** Reuse responses up to `maxAge` seconds old: `{ maxAge: 3600 }`. Mutually exclusive with `snapshot`. */
  cache?: CacheOptions | undefined;
}

/** Options of {@link ArchiveClient}: `ClientOptions` and `OutputOptions`. */
export type ArchiveClientOptions<F extends Format = Format, E extends Engine = Engine> = OutputOptions<F, E> &
  ({ snapshot?: undefined } | { cache?: undefined });

/**
 * Rejects `outputFormat: isLong ? "csv" : undefined`, which TypeScript would infer as "csv". Name the default instead:
 * `isLong ? "csv" : "dataframe"`.
 */
export type DecidedOutput<F extends Format, E extends Engine> = ("dataframe" extends F
  ? unknown
  : { readonly outputFormat: Format }) &
  ("polars" extends E ? unknown : { readonly engine: Engine });

export interface OutputSettings {
  readonly outputFormat: Format;
  readonly engine: Engine;
  readonly pageSize: PageSize;
  /** `false` also if nothing would display it. */
  readonly progress: ProgressOption | undefined;
  readonly host: NotebookHost;
}

/** All options of a client after checking. */
export interface ClientSettings extends ResolvedOptions, OutputSettings {
  readonly storage: StorageOptions | undefined;
  /** The client replays a snapshot and never sends a request. */
  readonly replays: boolean;
}

export const OUTPUT_DEFAULTS = {
  outputFormat: "dataframe",
  engine: "polars",
  pageSize: 1000,
  progress: undefined,
} as const;

/**
 * Checks the options of a client and fills in the defaults.
 *
 * @throws ValidationError for an invalid option; ArchiveError `ENGINE_MISSING`
 */
export function clientSettings(clientOptions: ArchiveClientOptions | undefined): ClientSettings {
  const options = isObject(clientOptions) ? withoutNulls<ArchiveClientOptions>(clientOptions) : clientOptions;
  const storage = checkStorageOptions(options?.snapshot, options?.cache);
  const replays = storage?.kind === "snapshot" && storage.mode === "replay";
  const service = resolveOptions(options, process.env, [...Object.keys(OUTPUT_DEFAULTS), "snapshot", "cache"], replays);
  const { outputFormat = OUTPUT_DEFAULTS.outputFormat, engine = OUTPUT_DEFAULTS.engine } = options ?? {};
  const { pageSize, progress } = options ?? {};
  const host = notebookHost();
  if (progress !== undefined && typeof progress !== "boolean" && typeof progress !== "function")
    throw invalid("progress", progress, "Give true, false or a function, for example progress: console.log.");
  const isDisplayed = typeof progress === "function" || process.stderr.isTTY || host.progress !== undefined;
  const settings: OutputSettings = {
    outputFormat: oneOf("outputFormat", outputFormat, FORMATS),
    engine: oneOf("engine", engine, ENGINES),
    pageSize: new PageSize(pageSize === undefined ? undefined : positiveInteger("pageSize", pageSize, 1000)),
    progress: isDisplayed ? progress : false,
    host,
  };
  loadEngine(settings.engine);
  return Object.freeze({ ...service, ...settings, storage, replays });
}

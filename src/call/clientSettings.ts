import { invalid, oneOf, positiveInteger } from "../errors/validators.js";
import { ENGINES, type Engine, engines } from "../frames/engine.js";
import type { ClientOptions } from "../service/http/clientOptions.js";
import { type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import {
  type CacheOptions,
  checkStorageOptions,
  type SnapshotOptions,
  type StorageOptions,
} from "../snapshots/snapshotOptions.js";
import { isObject } from "../util/isObject.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { FORMATS, type Format } from "./formats.js";
import type { ProgressOption } from "./progress.js";

/** What results of a client look like, and how it reaches the service. */
export interface OutputOptions<F extends Format = Format, E extends Engine = Engine> extends ClientOptions {
  /** What a call answers with unless it says otherwise: "dataframe" (default), "json", "records" or "csv". */
  outputFormat?: F | undefined;
  /** The dataframe library: "polars" (default) or "danfo". */
  engine?: E | undefined;
  /** Rows to ask for in one page where the service lets one say (mentions) and the call does not. Default 100. */
  pageSize?: number | undefined;
  /**
   * How a harvest shows that it goes on: a function is called with each page and each wait. By default a line on stderr
   * where that is a terminal and it takes more than a second; `false` for nothing.
   */
  progress?: ProgressOption | undefined;
}

/** Answers are kept for good. */
export interface WithSnapshot {
  /**
   * Keep the answers of the service in a folder, for someone to run the same again without key and network:
   * `{ dir: "study/", mode: "replay" }`. Default: none.
   */
  snapshot?: SnapshotOptions | undefined;
  /** Not beside a snapshot. */
  cache?: undefined;
}

/** Use answers again for a while. */
export interface WithCache {
  /** Not beside a cache. */
  snapshot?: undefined;
  /** Use answers again that are no older than so many seconds: `{ maxAge: 3600 }`. Default: none. */
  cache?: CacheOptions | undefined;
}

/** Options of an `ArchiveClient`. `snapshot` and `cache` are mutually exclusive. */
export type ArchiveClientOptions<F extends Format = Format, E extends Engine = Engine> = OutputOptions<F, E> &
  (WithSnapshot | WithCache);

/**
 * Refuses an option that may be `undefined` where the type of the client says that it is not: `outputFormat: cond ? "csv" : undefined`
 * is a client of "csv" to TypeScript. What may be the default has to be named: `cond ? "csv" : "dataframe"`.
 */
export type DecidedOutput<F extends Format, E extends Engine> = ("dataframe" extends F
  ? unknown
  : { readonly outputFormat: Format }) &
  ("polars" extends E ? unknown : { readonly engine: Engine });

/** What results look like, after checking. */
export interface OutputSettings {
  readonly outputFormat: Format;
  readonly engine: Engine;
  readonly pageSize: number;
  readonly progress: ProgressOption | undefined;
}

/** All options of a client, after checking. */
export interface ClientSettings extends ResolvedOptions, OutputSettings {
  readonly storage: StorageOptions | undefined;
  /** The service is never asked. */
  readonly replays: boolean;
}

/** The values of the options about results that are not given. */
export const OUTPUT_DEFAULTS: OutputSettings = Object.freeze({
  outputFormat: "dataframe",
  engine: "polars",
  pageSize: 100,
  progress: undefined,
});

/**
 * Checks the options of a client and fills in the defaults.
 *
 * @throws ValidationError naming the option and what would be right; ArchiveError `ENGINE_MISSING`
 */
export function clientSettings(given: ArchiveClientOptions | undefined): ClientSettings {
  const options = isObject(given) ? withoutNulls<ArchiveClientOptions>(given) : given;
  const storage = checkStorageOptions(options?.snapshot, options?.cache);
  const replays = storage?.kind === "snapshot" && storage.mode === "replay";
  const service = resolveOptions(options, process.env, [...Object.keys(OUTPUT_DEFAULTS), "snapshot", "cache"], replays);
  const { outputFormat, engine, pageSize } = OUTPUT_DEFAULTS;
  const settings: OutputSettings = {
    outputFormat:
      options?.outputFormat === undefined ? outputFormat : oneOf("outputFormat", options.outputFormat, FORMATS),
    engine: options?.engine === undefined ? engine : oneOf("engine", options.engine, ENGINES),
    pageSize: options?.pageSize === undefined ? pageSize : positiveInteger("pageSize", options.pageSize, pageSize),
    progress: checkedProgress(options?.progress),
  };
  engines[settings.engine].load();
  return Object.freeze({ ...service, ...settings, storage, replays });
}

function checkedProgress(option: unknown): ProgressOption | undefined {
  if (option === undefined || typeof option === "boolean" || typeof option === "function")
    return option as ProgressOption;
  throw invalid(
    "progress",
    option,
    "Give progress: false, progress: true or a function, for example progress: console.log.",
  );
}

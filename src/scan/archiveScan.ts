import { inspect } from "node:util";
import { checkCall } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import {
  abortSignal,
  checkedOptions,
  invalid,
  nonNegativeInteger,
  oneOf,
  positiveInteger,
} from "../errors/validators.js";
import { outputPath, type PartitionedFormat } from "../files/outputPath.js";
import { ENGINES, type Engine, engines, type FrameTypes } from "../frames/engine.js";
import type { LazyFrame, PolarsExpr, PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { RequestBudget } from "../service/http/requestBudget.js";
import type { SearchName } from "../service/operations/operations.js";
import type { DecidingOption, OrDefault } from "../util/decidingOption.js";
import { explainPlan } from "./explainPlan.js";
import type { RunBounds } from "./rowSource.js";
import { ScanRun } from "./runScan.js";
import { type BatchOptions, BOUNDS, type CollectOptions, type ScanOptions } from "./scanOptions.js";
import { type ScanPlan, scanPlan } from "./scanPlan.js";
import { SINK_OPTIONS, type SinkOptions, sinkScan } from "./sinkScan.js";
import { dropStep, exprsStep, filterStep, groupStep, pipeStep, renameStep, type Step, sliceStep } from "./step.js";
import {
  type SortArguments,
  type SortOptions,
  sortVerb,
  type UniqueKeep,
  type UniqueOptions,
  uniqueVerb,
} from "./verbOptions.js";

/** An expression, or the name of a column. */
export type ExprOrName = PolarsExpr | string;

/** A run that is about to begin. */
interface ScanStart {
  readonly run: ScanRun;
  readonly bounds: RunBounds;
  readonly batchSize: number | undefined;
}

/**
 * A lazy frame whose rows are still at the service. Nothing is asked before it is collected, iterated or counted; each
 * verb gives a new scan, and a scan can be run again and again.
 *
 * Verbs that look at one row at a time run page by page, so `filter(…).head(40)` stops asking when 40 rows are found.
 * What the service can do itself (dates, speakers, limits) is put into the request, and applied here as well.
 *
 * @example
 * const spoken = archive.scan.mentions("climate", { mindate: "2024-01-01" });
 * const frame = await spoken.filter(pl.col("personid").eq(6153)).select("begintime", "text").head(40).collect();
 */
export class ArchiveScan<N extends SearchName = SearchName, DE extends Engine = "polars"> {
  readonly #core: ClientContext;
  readonly #operation: N;
  readonly #parameters: Readonly<Record<string, unknown>>;
  readonly #steps: readonly Step[];
  readonly #pushdown: boolean;

  /** @internal */
  constructor(
    client: ClientContext,
    operation: N,
    parameters: Readonly<Record<string, unknown>>,
    steps: readonly Step[] = [],
    usePushdown = true,
  ) {
    this.#core = client;
    this.#operation = operation;
    this.#parameters = parameters;
    this.#steps = steps;
    this.#pushdown = usePushdown;
    // Checks the parameters now, not when it runs.
    checkCall(operation, undefined, parameters, client.output, ["unchecked"]);
  }

  /** Keeps the rows for which a predicate holds. */
  filter(predicate: PolarsExpr): ArchiveScan<N, DE> {
    return this.#with(filterStep(predicate));
  }

  /** Keeps or makes these columns, and no others. */
  select(...columns: Array<ExprOrName | readonly ExprOrName[]>): ArchiveScan<N, DE> {
    return this.#with(exprsStep("select", columns.flat() as ExprOrName[]));
  }

  /** Adds or replaces columns. */
  withColumns(...columns: Array<PolarsExpr | readonly PolarsExpr[]>): ArchiveScan<N, DE> {
    return this.#with(exprsStep("withColumns", columns.flat() as PolarsExpr[]));
  }

  /** Takes columns away. */
  drop(...names: Array<string | readonly string[]>): ArchiveScan<N, DE> {
    return this.#with(dropStep(names.flat() as string[]));
  }

  /** Renames columns: `{ begintime: "time" }`. */
  rename(mapping: Readonly<Record<string, string>>): ArchiveScan<N, DE> {
    return this.#with(renameStep({ ...mapping }));
  }

  /** The first rows. Without a filter before it no more than these are asked for. Default 5, as in polars. */
  head(rows = 5): ArchiveScan<N, DE> {
    return this.#with(sliceStep(0, nonNegativeInteger("rows", rows, 10)));
  }

  /** The same as {@link head}. */
  limit(rows = 5): ArchiveScan<N, DE> {
    return this.head(rows);
  }

  /** `length` rows from `offset` on; an offset below 0 counts from the end, and gathers. */
  slice(offset: number, length: number): ArchiveScan<N, DE> {
    if (!Number.isSafeInteger(offset))
      throw invalid("offset", offset, "Give a whole number, for example slice(20, 10).");
    return this.#with(sliceStep(offset, nonNegativeInteger("length", length, 10)));
  }

  /**
   * Sorts, which gathers all rows first. Equal rows are ordered by id.
   *
   * @param descending the direction, one for each key if need be; or options as in polars
   * @example
   * scan.sort("length", { descending: true });
   * scan.sort({ by: ["person", "begintime"], descending: [false, true], nullsLast: true });
   */
  sort(
    by: ExprOrName | readonly ExprOrName[] | SortArguments,
    descending: boolean | readonly boolean[] | SortOptions = false,
    nullsLast = false,
  ): ArchiveScan<N, DE> {
    return this.#with(sortVerb(by, descending, nullsLast));
  }

  /**
   * The different rows, or one row for each value of some columns; gathers.
   *
   * @param keep which of the equal rows stays; or options as in polars
   * @example
   * scan.unique("personid", { keep: "last" });
   */
  unique(
    subset?: string | readonly string[] | UniqueOptions,
    keep: UniqueKeep | UniqueOptions = "first",
  ): ArchiveScan<N, DE> {
    return this.#with(uniqueVerb(subset, keep));
  }

  /** Groups rows; `agg` makes the scan of the groups, in the order in which they first appear. Gathers. */
  groupBy(...by: Array<ExprOrName | readonly ExprOrName[]>): ScanGroups<N, DE> {
    const keys = by.flat() as ExprOrName[];
    return { agg: (...exprs) => this.#with(groupStep(keys, exprs.flat() as PolarsExpr[])) };
  }

  /** All the rest of polars: what the function makes of the lazy frame of all rows. Gathers. */
  pipe(build: (lazy: LazyFrame) => LazyFrame): ArchiveScan<N, DE> {
    return this.#with(pipeStep(build));
  }

  /** The same scan that leaves everything to this machine, or again lets the service help. */
  pushdown(on: boolean): ArchiveScan<N, DE> {
    return new ArchiveScan(this.#core, this.#operation, this.#parameters, this.#steps, on);
  }

  /**
   * Runs the scan and gives its frame.
   *
   * @throws ArchiveError with `partial`, the frame so far and the cursor to go on from
   */
  async collect<E extends Engine | undefined = undefined>(
    options?: CollectOptions & DecidingOption<"engine", E>,
  ): Promise<FrameTypes[OrDefault<E, DE>]> {
    const { run, bounds } = this.#run(options, ["engine"]);
    const frame = await run.collect();
    if (bounds.engine === "polars") return frame as FrameTypes[OrDefault<E, DE>];
    return setProvenance(engines[bounds.engine].fromPolars(frame), provenanceOf(frame)) as FrameTypes[OrDefault<E, DE>];
  }

  /**
   * Runs the scan frame by frame, in constant memory where no verb gathers. Where the loop is left nothing more is requested; one
   * page may have been requested ahead.
   *
   * A frame has the columns and types of the rows so far: a column that comes late is in the later frames.
   *
   * @throws ArchiveError `COLUMN_WIDENED` where a later page changes the type of a column that a verb has used for rows that
   *   were handed over; `collect` and `sink` apply verbs to the final types
   */
  batches(options: BatchOptions = {}): AsyncGenerator<PolarsFrame, void, undefined> {
    const { run, batchSize } = this.#run(options, ["batchSize"]);
    return run.batches(batchSize === undefined ? undefined : positiveInteger("batchSize", batchSize, 1000));
  }

  [Symbol.asyncIterator](): AsyncGenerator<PolarsFrame, void, undefined> {
    return this.batches();
  }

  /** Calls a function with each frame, and waits for it: `for await` for notebooks that do not take it. */
  async forEachBatch(each: (frame: PolarsFrame) => unknown, options: BatchOptions = {}): Promise<void> {
    for await (const frame of this.batches(options)) await each(frame);
  }

  /** The rows one by one, as polars gives them: moments are Date, missing values null. */
  async *records(options: ScanOptions = {}): AsyncGenerator<Record<string, unknown>, void, undefined> {
    for await (const frame of this.batches(options)) yield* frame.toRecords();
  }

  /**
   * Runs the scan into a file, in constant memory where no verb gathers: CSV, JSON, JSON Lines, XLSX, Parquet or Arrow, by
   * `format` or the extension. The file is whole or absent, and what had come when the run was stopped is kept beside it:
   * the same call goes on from there.
   *
   * Without verbs, JSON and JSON Lines hold the rows as the service sent them.
   *
   * @param dest a file, or a folder: a path that ends in `/`, is a folder already, or has no extension (`"out"`). In a folder the file is
   *   called `<operation>.<format>` or `filename`
   * @returns the path of the file
   * @throws ValidationError before anything is asked; FileError where the file cannot be written; any error says what is safe
   */
  async sink(dest: string, options: ScanOptions & SinkOptions & PartitionedFormat = {}): Promise<string> {
    const checked = checkedOptions(options, [...BOUNDS, ...SINK_OPTIONS], "option of sink");
    const bounds = this.#bounds(checked);
    const target = outputPath(dest, this.#operation, checked);
    return sinkScan(this.#core, this.#plan(), bounds, target, checked.resume);
  }

  /** How many rows the scan has. The service does not count, so all pages are asked for, as far as the bounds allow. */
  async count(options: ScanOptions = {}): Promise<number> {
    return this.#run(options, []).run.count();
  }

  /** The first `rows` rows (default 1) as a frame. */
  first(rows = 1): Promise<PolarsFrame> {
    return this.head(rows).collect({ engine: "polars" });
  }

  /** How the scan will run: the requests, what the service takes over, what runs here, what it can cost. Asks nothing. */
  explain(): string {
    const { baseUrl, output, concurrency } = this.#core;
    return explainPlan(this.#plan(), { operation: this.#operation, baseUrl, pageSize: output.pageSize, concurrency });
  }

  toString(): string {
    return this.explain();
  }

  [inspect.custom](): string {
    return this.explain();
  }

  #with(step: Step): ArchiveScan<N, DE> {
    return new ArchiveScan(this.#core, this.#operation, this.#parameters, [...this.#steps, step], this.#pushdown);
  }

  #plan(): ScanPlan {
    return scanPlan(this.#operation, this.#parameters, this.#steps, this.#pushdown);
  }

  #run(given: (CollectOptions & BatchOptions) | undefined, further: readonly string[]): ScanStart {
    const options = checkedOptions(given, [...BOUNDS, ...further], "option of a scan");
    const bounds = this.#bounds(options);
    engines[bounds.engine].load();
    return { run: new ScanRun(this.#core, this.#plan(), bounds), bounds, batchSize: options.batchSize };
  }

  #bounds({ maxItems, maxRequests, signal, engine }: CollectOptions): RunBounds {
    return {
      maxItems: maxItems === undefined ? undefined : nonNegativeInteger("maxItems", maxItems, 500),
      budget:
        maxRequests === undefined ? undefined : new RequestBudget(positiveInteger("maxRequests", maxRequests, 50)),
      signal: signal === undefined ? undefined : abortSignal("signal", signal),
      engine: engine === undefined ? this.#core.output.engine : oneOf("engine", engine, ENGINES),
    };
  }
}

/** Rows that are grouped, and wait for what to make of each group. */
export interface ScanGroups<N extends SearchName, DE extends Engine> {
  agg(...exprs: Array<PolarsExpr | readonly PolarsExpr[]>): ArchiveScan<N, DE>;
}

import { inspect } from "node:util";
import { checkedBudget } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import { checkCall, checkedMaxItems } from "../call/execution.js";
import { abortSignal, checkedOptions, nonNegativeInteger, oneOf, positiveInteger } from "../errors/validators.js";
import { outputPath } from "../files/outputPath.js";
import { ENGINES, type Engine, type FrameTypes, inEngine, loadEngine } from "../frames/engine.js";
import type { LazyFrame, PolarsExpr, PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import type { SearchName } from "../service/operations/operations.js";
import type { DecidingOption, OrDefault } from "../util/frameTypes.js";
import { type RunBounds, ScanRun } from "./runScan.js";
import { explainPlan, planScan, type ScanQuery } from "./scanPlan.js";
import { SINK_OPTIONS, type SinkOptions, sinkScan } from "./sinkScan.js";
import {
  columnsVerb,
  type ExprOrName,
  filterVerb,
  groupVerb,
  headVerb,
  pipeVerb,
  type SortOptions,
  sortVerb,
  type Verb,
} from "./verbs.js";

/** Limits of one run of a scan. */
export interface ScanOptions {
  /** Rows to fetch at most, before any verb but a leading `where` that the service applies (see `explain`). Default: all rows. */
  maxItems?: number | undefined;
  /** HTTP requests at most; the verdict is then "capped". Default: no limit. */
  maxRequests?: number | undefined;
  /** Aborts the run. The error has the rows fetched so far as `partial`. */
  signal?: AbortSignal | undefined;
}

const RUN_OPTIONS: readonly string[] = ["maxItems", "maxRequests", "signal"];

/**
 * A lazy query: a search and the verbs to apply to its rows. Every verb returns a new scan; nothing is sent until you collect, iterate,
 * count or sink it.
 *
 * Row-wise verbs run page by page, so `filter(…).head(40)` stops after 40 rows. `sort`, `groupBy` and `pipe` fetch all pages first.
 * Conditions of `where` on dates and a speaker become request parameters; {@link explain} shows the plan.
 *
 * @example
 * const spoken = archive.scan.mentions("climate", { mindate: "2024-01-01" });
 * const frame = await spoken.filter(where({ personid: 6153 })).select("begintime", "text").head(40).collect();
 */
export class ArchiveScan<N extends SearchName = SearchName, DE extends Engine = "polars"> {
  readonly #context: ClientContext;
  readonly #query: ScanQuery<N>;

  /** @internal */
  constructor(context: ClientContext, query: ScanQuery<N>) {
    this.#context = context;
    this.#query = query;
    // Invalid parameters fail here, not when the scan runs.
    checkCall(query.operation, undefined, query.parameters, context.output, ["unchecked"]);
  }

  /**
   * Keeps the rows that match a predicate.
   *
   * @param predicate a polars expression, or conditions made by `where`, of which the service applies some
   * @example
   * scan.filter(pl.col("personid").eq(6153).and(pl.col("length").gt(60)));
   */
  filter(predicate: PolarsExpr): ArchiveScan<N, DE> {
    return this.#with(filterVerb(predicate));
  }

  /**
   * Keeps or computes only the given columns: names or polars expressions.
   *
   * @example
   * scan.select("begintime", pl.col("text").str.lengths().alias("characters"));
   */
  select(...columns: Array<ExprOrName | readonly ExprOrName[]>): ArchiveScan<N, DE> {
    return this.#with(columnsVerb("select", columns.flat() as ExprOrName[]));
  }

  /**
   * Adds or replaces columns, which `alias` names.
   *
   * @example
   * scan.withColumns(pl.col("length").div(60).alias("minutes"));
   */
  withColumns(...columns: Array<PolarsExpr | readonly PolarsExpr[]>): ArchiveScan<N, DE> {
    return this.#with(columnsVerb("withColumns", columns.flat() as PolarsExpr[]));
  }

  /** Keeps the first rows, by default 5. */
  head(rows = 5): ArchiveScan<N, DE> {
    return this.#with(headVerb(nonNegativeInteger("rows", rows, 10)));
  }

  /**
   * Sorts all rows by columns or expressions, the most important first. Rows with equal keys keep their order.
   *
   * @example
   * scan.sort(["person", "begintime"], { descending: true, nullsLast: true });
   */
  sort(by: ExprOrName | readonly ExprOrName[], options?: SortOptions): ArchiveScan<N, DE> {
    return this.#with(sortVerb([by].flat(), options));
  }

  /**
   * Groups all rows; `agg` makes one row of each group from aggregating expressions. Groups keep the order in which they first appear.
   *
   * @example
   * scan.groupBy("person").agg(pl.col("length").sum().alias("seconds"));
   */
  groupBy(...by: Array<ExprOrName | readonly ExprOrName[]>): {
    agg(...exprs: Array<PolarsExpr | readonly PolarsExpr[]>): ArchiveScan<N, DE>;
  } {
    const keys = by.flat() as ExprOrName[];
    return { agg: (...exprs) => this.#with(groupVerb(keys, exprs.flat() as PolarsExpr[])) };
  }

  /**
   * Applies a function to the polars lazy frame of all rows: for other verbs, such as `join`, `unique` and `rename`, and for columns that
   * are not declared.
   *
   * @example
   * scan.pipe((lazy) => lazy.join(parties.lazy(), { on: "personid" }));
   */
  pipe(build: (lazy: LazyFrame) => LazyFrame): ArchiveScan<N, DE> {
    return this.#with(pipeVerb(build));
  }

  /**
   * Runs the scan and returns its rows as one frame of the given `engine`.
   *
   * @param options {@link ScanOptions}, and `engine`
   * @throws ArchiveError with `partial`: the rows fetched so far, before any verb, and the cursor to continue from
   */
  async collect<E extends Engine | undefined = undefined>(
    options?: ScanOptions & DecidingOption<{ engine?: Engine | undefined }, E>,
  ): Promise<FrameTypes[OrDefault<E, DE>]> {
    const checked = checkedOptions(options, [...RUN_OPTIONS, "engine"], "option of a scan");
    const engine = oneOf("engine", checked.engine ?? this.#context.output.engine, ENGINES);
    loadEngine(engine);
    const frame = await this.#run(checked).collect();
    return setProvenance(inEngine(frame, engine), provenanceOf(frame)) as FrameTypes[OrDefault<E, DE>];
  }

  /**
   * Runs the scan and yields frames of `batchSize` rows (default: those of a page), in constant memory unless a verb needs all rows.
   * Leaving the loop stops the requests.
   *
   * A frame has the columns and types of the rows so far. If a request fails, the rows that have passed the verbs are yielded before the
   * error; its `partial` has the rest.
   *
   * @param options {@link ScanOptions}, and `batchSize`
   * @example
   * for await (const frame of scan.batches({ batchSize: 1000 })) console.log(frame.height);
   */
  batches(
    options: ScanOptions & { batchSize?: number | undefined } = {},
  ): AsyncGenerator<PolarsFrame, void, undefined> {
    const checked = checkedOptions(options, [...RUN_OPTIONS, "batchSize"], "option of batches");
    const { batchSize } = checked;
    return this.#run(checked).batches(
      batchSize === undefined ? undefined : positiveInteger("batchSize", batchSize, 1000),
    );
  }

  [Symbol.asyncIterator](): AsyncGenerator<PolarsFrame, void, undefined> {
    return this.batches();
  }

  /**
   * Runs the scan and writes its rows to a file, as `archive.save` does, in constant memory unless a verb needs all rows. Without verbs,
   * JSON contains the rows exactly as sent.
   *
   * @param dest a file, or a directory: a path that ends in `/`, exists as a directory, or has no extension (`"out"`). In a directory the
   * file is named `<operation>.<format>`, or `filename`
   * @returns the path of the file
   * @throws ValidationError before any request; ArchiveError if the file cannot be written; the message says which rows are saved
   * @example
   * await archive.scan.mentions("climate").sink("climate.parquet"); //=> "climate.parquet"
   */
  async sink(dest: string, options: ScanOptions & SinkOptions = {}): Promise<string> {
    const checked = checkedOptions(options, [...RUN_OPTIONS, ...SINK_OPTIONS], "option of sink");
    const target = outputPath(dest, this.#query.operation, checked);
    return sinkScan(this.#context, planScan(this.#query), this.#bounds(checked), target, checked.resume);
  }

  /** Counts the rows by fetching all pages. */
  async count(options: ScanOptions = {}): Promise<number> {
    return this.#run(checkedOptions(options, RUN_OPTIONS, "option of a scan")).count();
  }

  /**
   * Describes the plan without sending a request.
   *
   * @example
   * console.log(archive.scan.mentions("climate").sort("length").explain());
   * // SCAN mentions
   * //   request    GET /mentions  query=climate  limit=100
   * //   pushed     nothing
   * //   all rows   sorted by length
   * //   requests   at most one per page of 100 rows, and one to confirm the end
   */
  explain(): string {
    return explainPlan(planScan(this.#query), this.#context.output.pageSize);
  }

  [inspect.custom](): string {
    return this.explain();
  }

  #with(verb: Verb): ArchiveScan<N, DE> {
    return new ArchiveScan(this.#context, { ...this.#query, verbs: [...this.#query.verbs, verb] });
  }

  #run(options: ScanOptions): ScanRun {
    return new ScanRun(this.#context, planScan(this.#query), this.#bounds(options));
  }

  #bounds({ maxItems, maxRequests, signal }: ScanOptions): RunBounds {
    return {
      maxItems: maxItems === undefined ? undefined : checkedMaxItems(maxItems),
      budget: checkedBudget(maxRequests),
      signal: signal === undefined ? undefined : abortSignal("signal", signal),
    };
  }
}

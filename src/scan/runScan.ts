import type { ClientContext } from "../call/clientContext.js";
import { callPages, remember, withPartial } from "../call/execution.js";
import { ArchiveError } from "../errors/index.js";
import { concatFrames } from "../frames/concat.js";
import { slicesOf } from "../frames/frameBatches.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { deriveProvenance } from "../frames/lineage/derived.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { RequestBudget } from "../service/http/requester.js";
import { operations } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { checkVerbs, polarsError, runPolars, type ScanPlan } from "./scanPlan.js";
import { Spool } from "./spool.js";
import type { Verb } from "./verbs.js";

/** The limits of one run of a scan, after checking. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Stop after this many pages, with the page sizes of the service. */
  readonly maxPages?: number | undefined;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  /** For the progress of a resumed save: the pages that the earlier run fetched. */
  readonly resumed?: number | undefined;
}

/** Rows per file of the spool, and per frame of `batches()` if a verb needs all rows. Tests reduce them. */
export const SCAN_ROWS = { file: 20_000, batch: 5_000 };

/** One run of a scan: pages go to a spool, and the verbs run on the lazy frame of all its rows. */
export class ScanRun {
  readonly #verbs: readonly Verb[];
  readonly #recorder: ProvenanceRecorder;
  readonly #builder: FrameBuilder;
  readonly #spool: Spool;

  /**
   * @param directory where the spool writes its files. Default: rows stay in memory as far as possible
   * @throws ValidationError for a verb that cannot run on the declared columns
   */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
    readonly directory?: string,
  ) {
    this.#verbs = [...plan.pageVerbs, ...plan.allRowsVerbs];
    this.#recorder = new ProvenanceRecorder(plan.request, client);
    const { columns } = operations[plan.request.operation];
    this.#builder = new FrameBuilder(columns);
    // Without verbs, the result of `collect` is all rows, which must fit into memory anyway.
    const fitsInMemory = this.#verbs.length === 0 && directory === undefined;
    this.#spool = new Spool(this.#builder, directory, fitsInMemory ? Number.POSITIVE_INFINITY : SCAN_ROWS.file);
    checkVerbs(plan, new FrameBuilder(columns).take());
  }

  /** The provenance of the rows fetched so far. */
  get provenance(): Provenance {
    return this.#verbs.reduce((source, { step }) => deriveProvenance(source, step), this.#recorder.provenance());
  }

  async collect(): Promise<PolarsFrame> {
    const frame = await this.#withAllRows(() => runPolars(() => this.#lazy().collectSync()));
    this.#spool.close();
    this.#remember(frame);
    return setProvenance(frame, this.provenance);
  }

  /**
   * Writes the rows to Arrow files.
   *
   * @param sink writes the rows after the verbs to one file and returns its path; without verbs, the files of the spool are the result
   */
  async files(sink: (rows: LazyFrame) => Promise<string>): Promise<readonly string[]> {
    const files = await this.#withAllRows(async () => {
      if (this.#verbs.length === 0) return this.#spool.files();
      return [await sink(this.#ordered()).catch((error) => Promise.reject(polarsError(error)))];
    });
    this.#remember();
    return files;
  }

  async count(): Promise<number> {
    if (this.#verbs.length > 0) return (await this.collect()).height;
    let rows = 0;
    for await (const page of this.pages()) rows += page.records.rows;
    return rows;
  }

  /**
   * Yields frames as early as possible, with the columns and types so far.
   *
   * @param size rows per frame; only the last has fewer. Default: the rows of a page
   */
  async *batches(size: number | undefined): AsyncGenerator<PolarsFrame, void, undefined> {
    if (this.plan.allRowsVerbs.length > 0) {
      const rows = await this.collect();
      if (rows.height > 0) yield* slicesOf(rows, size ?? SCAN_ROWS.batch);
      return;
    }
    let rows = this.#builder.frameOf([]);
    const take = (height: number) => {
      const batch = setProvenance(rows.head(height), this.provenance);
      rows = rows.tail(rows.height - batch.height);
      return batch;
    };
    try {
      for await (const frame of this.#withLastResult(this.#frames(() => (size ?? 1) - rows.height))) {
        rows = rows.height === 0 ? frame : concatFrames([rows, frame]);
        while (rows.height >= (size ?? 1)) yield take(size ?? rows.height);
      }
    } catch (error) {
      // Every row is either yielded or in `partial`.
      if (rows.height > 0) yield take(rows.height);
      throw error;
    }
    if (rows.height > 0) yield take(rows.height);
  }

  /** Yields the pages as sent, for a scan without verbs, and keeps none. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#withLastResult(this.#fetch());
  }

  /** Yields the items of a run. At its end, the run becomes the last result of the client. */
  async *#withLastResult<T>(items: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
    let failure: unknown;
    try {
      yield* items;
    } catch (error) {
      failure = this.#withRows(error);
      throw failure;
    } finally {
      if (failure === undefined) this.#remember();
    }
  }

  #fetch(): AsyncGenerator<Page, void, undefined> {
    const { request, rowsNeeded, mayEndEarly } = this.plan;
    const { budget, maxPages, signal, resumed } = this.bounds;
    const limits = [this.bounds.maxItems, rowsNeeded].filter((rows) => rows !== undefined);
    const maxItems = limits.length === 0 ? undefined : Math.min(...limits);
    const bounds = { ahead: () => !mayEndEarly, budget, maxPages, resumed };
    return callPages(this.client, { request, maxItems, signal }, this.#recorder, () => this.#builder.schema, bounds);
  }

  /** Yields the pages and adds them to the builder. */
  async *#pages(): AsyncGenerator<Page, void, undefined> {
    for await (const page of this.#fetch()) {
      this.#builder.add(page);
      yield page;
    }
    if (this.#recorder.rows === this.plan.rowsNeeded) this.#recorder.end("capped", "head");
  }

  /** Yields the rows after the verbs, from at least `minRows()` fetched rows each unless a `head` may be complete. */
  async *#frames(minRows: () => number): AsyncGenerator<PolarsFrame, void, undefined> {
    const verbs = new PageVerbs(this.plan.pageVerbs);
    const nextFrame = () => {
      const chunks = this.#builder.drain();
      try {
        return verbs.apply(this.#builder.frameOf(chunks));
      } catch (error) {
        this.#spool.add(chunks);
        throw error;
      }
    };
    for await (const page of this.#pages()) {
      if (page.records.rows === 0 || (!this.plan.mayEndEarly && this.#builder.rows < minRows())) continue;
      yield nextFrame();
      if (verbs.isFull) return this.#recorder.end("capped", "head");
    }
    if (this.#builder.rows > 0) yield nextFrame();
  }

  /** Fetches the rows of the plan into the spool; if a `head` follows a filter, only until it is complete. */
  async #fetchAll(): Promise<void> {
    const verbs = this.plan.mayEndEarly ? new PageVerbs(this.plan.pageVerbs) : undefined;
    for await (const page of this.#pages()) {
      if (verbs === undefined ? this.#builder.rows < SCAN_ROWS.file : page.records.rows === 0) continue;
      const chunks = this.#builder.drain();
      this.#spool.add(chunks);
      verbs?.apply(this.#builder.frameOf(chunks));
      if (verbs?.isFull && this.#isHeadComplete()) return this.#recorder.end("capped", "head");
    }
    this.#spool.add(this.#builder.drain());
  }

  /** Whether a `head` is complete on all rows: a later page may have changed the type of a filtered column. */
  #isHeadComplete(): boolean {
    const verbs = new PageVerbs(this.plan.pageVerbs);
    verbs.apply(this.#spool.lazy().collectSync());
    return verbs.isFull;
  }

  #lazy(): LazyFrame {
    return this.#verbs.reduce((lazy, verb) => verb.apply(lazy), this.#spool.lazy());
  }

  /** The rows to write. Sinks of polars may reorder the rows of a join, so functions of the user run before. */
  #ordered(): LazyFrame {
    const rows = this.#lazy();
    return this.#verbs.some(({ isOpaque }) => isOpaque) ? runPolars(() => rows.collectSync()).lazy() : rows;
  }

  /** Fetches all rows before it calls `use`. An error has the rows so far. */
  async #withAllRows<T>(use: () => T | Promise<T>): Promise<T> {
    try {
      await this.#fetchAll();
      return await use();
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  /** @param frame the rows. Default: none, because they were yielded or written */
  #remember(frame?: PolarsFrame): void {
    const { provenance } = this;
    remember(this.client, this.#recorder, () => setProvenance(frame ?? this.#builder.frameOf([]), provenance));
  }

  /** The error to throw, with the rows not yielded, before any verb, as `partial`. */
  #withRows(error: unknown): unknown {
    const latest = this.#builder.frameOf(this.#builder.drain());
    const rows = this.directory === undefined ? concatFrames([this.#spool.lazy().collectSync(), latest]) : undefined;
    this.#spool.close();
    const frame = () => {
      if (rows !== undefined) return rows;
      const hint = "Repeat the call that failed: it resumes.";
      throw new ArchiveError("the rows of an unfinished save are beside its file.", { code: "FILE_ERROR", hint });
    };
    return withPartial(this.client, this.#recorder, frame, error);
  }
}

/** Verbs that run frame by frame; a `head` counts rows across frames. */
class PageVerbs {
  /** For each verb, how many rows it may still let through. */
  readonly #rowsLeft: number[];

  constructor(readonly verbs: readonly Verb[]) {
    this.#rowsLeft = verbs.map(({ rows }) => rows ?? Number.POSITIVE_INFINITY);
  }

  /** A `head` is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    return this.#rowsLeft.includes(0);
  }

  apply(frame: PolarsFrame): PolarsFrame {
    return this.verbs.reduce((rows, verb, at) => {
      if (verb.rows === undefined) return runPolars(() => verb.apply(rows.lazy()).collectSync());
      const head = rows.head(this.#rowsLeft[at]);
      this.#rowsLeft[at] = (this.#rowsLeft[at] as number) - head.height;
      return head;
    }, frame);
  }
}

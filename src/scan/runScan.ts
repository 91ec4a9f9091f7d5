import type { ClientContext } from "../call/clientContext.js";
import { callPages, remember, withPartial } from "../call/execution.js";
import { ArchiveError } from "../errors/index.js";
import { concatFrames } from "../frames/concat.js";
import { concatRows, slicesOf } from "../frames/frameBatches.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { derived } from "../frames/lineage/derived.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { RequestBudget } from "../service/http/requester.js";
import { operations } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { sum } from "../util/sum.js";
import { checkVerbs, polarsError, runPolars, type ScanPlan } from "./scanPlan.js";
import { Slices } from "./slices.js";
import { Spool } from "./spool.js";
import type { Verb } from "./verbs.js";

/** The limits of one run of a scan, after checking. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Stop after this many pages, with the page sizes of the service. */
  readonly maxPages?: number | undefined;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  /** Pages that an earlier run of the same save has fetched, for its progress. */
  readonly resumed?: number | undefined;
}

/** Sizes in rows: of a group of pages if the run cannot end early, and of the largest frame of `batches()`. Tests reduce them. */
export const SCAN_ROWS = { group: 20_000, batch: 5_000 };

/** One run of a scan: pages go to a spool, and the verbs run on the lazy frame of all its rows. */
export class ScanRun {
  readonly #verbs: readonly Verb[];
  readonly #recorder: ProvenanceRecorder;
  readonly #builder: FrameBuilder;
  readonly #spool: Spool;
  /** The plan has undeclared names, to be checked against the first page. */
  #hasUnknownNames: boolean;

  /**
   * @param directory where the rows go, see {@link Spool}. Default: they stay in memory as far as possible
   * @throws ValidationError for a verb that cannot run on the declared columns
   */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
    readonly directory?: string,
  ) {
    this.#verbs = [...plan.streamed, ...plan.gathered];
    this.#recorder = new ProvenanceRecorder(plan.request, client);
    const { columns } = operations[plan.request.operation];
    this.#builder = new FrameBuilder(columns);
    // Without verbs the result is the rows themselves, which must fit into memory anyway.
    const isResult = this.#verbs.length === 0 && directory === undefined;
    this.#spool = new Spool(this.#builder, directory, isResult ? Number.POSITIVE_INFINITY : SCAN_ROWS.group);
    this.#hasUnknownNames = !checkVerbs(plan, new FrameBuilder(columns).take(), columns);
  }

  /** The provenance of the rows fetched so far. */
  get provenance(): Provenance {
    return this.#verbs.reduce((provenance, { step }) => derived(provenance, step), this.#recorder.provenance());
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
   * @param sink writes the rows of a lazy frame to one file and returns its path; without verbs it is not needed
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
    for await (const page of this.pages()) rows += page.tape.rows;
    return rows;
  }

  /**
   * Yields frames as early as possible, with the columns and types so far. The first comes after one page with rows; later ones grow.
   *
   * @param size rows per frame; only the last has fewer
   */
  async *batches(size: number | undefined): AsyncGenerator<PolarsFrame, void, undefined> {
    if (this.plan.gathered.length > 0) {
      const rows = await this.collect();
      if (rows.height > 0) yield* slicesOf(rows, size ?? SCAN_ROWS.batch);
      return;
    }
    let ready: PolarsFrame[] = [];
    let wanted = size ?? 1;
    const height = () => sum(ready.map((frame) => frame.height));
    const take = (rows: number) => {
      const all = concatFrames(ready);
      ready = rows < all.height ? [all.slice(rows, all.height - rows)] : [];
      return setProvenance(all.slice(0, rows), this.provenance);
    };
    try {
      for await (const frame of this.#remembered(this.#frames(() => wanted - height()))) {
        ready.push(frame);
        while (height() >= wanted) {
          const rows = size ?? Math.min(height(), SCAN_ROWS.batch);
          wanted = size ?? Math.min(2 * rows, SCAN_ROWS.batch);
          yield take(rows);
        }
      }
    } catch (error) {
      // The rows that passed the verbs come first, so that every row is either yielded or in `partial`.
      if (height() > 0) yield take(height());
      throw error;
    }
    if (height() > 0) yield take(height());
  }

  /** Yields the pages as sent, for a scan without verbs, and keeps none. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#remembered(this.#fetch());
  }

  /** Yields the items of a run, and remembers its end. */
  async *#remembered<T>(items: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
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
    const ahead = () => !mayEndEarly && !this.#hasUnknownNames;
    const bounds = { ahead, budget, maxPages, resumed };
    return callPages(this.client, { request, maxItems, signal }, this.#recorder, () => this.#builder.shape, bounds);
  }

  /** The pages, which go to the builder, too. */
  async *#pages(): AsyncGenerator<Page, void, undefined> {
    for await (const page of this.#fetch()) {
      this.#builder.add(page);
      if (page.tape.rows > 0) this.#checkNames(page);
      yield page;
    }
    this.#checkNames();
    if (this.#recorder.rows === this.plan.rowsNeeded) this.#recorder.end("capped", "head");
  }

  /** Yields the rows after the verbs, at least `wanted()` fetched ones at a time unless a slice may be complete. */
  async *#frames(wanted: () => number): AsyncGenerator<PolarsFrame, void, undefined> {
    const slices = new Slices(this.plan.streamed);
    const next = () => {
      const chunks = this.#builder.drain();
      try {
        return slices.apply(this.#builder.frameOf(chunks));
      } catch (error) {
        this.#spool.add(chunks);
        throw error;
      }
    };
    for await (const page of this.#pages()) {
      if (page.tape.rows === 0 || (!this.plan.mayEndEarly && this.#builder.rows < wanted())) continue;
      yield next();
      if (slices.isFull) return this.#recorder.end("capped", "head");
    }
    if (this.#builder.rows > 0) yield next();
  }

  /** Fetches the rows of the plan into the spool; if a slice follows a filter, only until it is complete. */
  async #fetchAll(): Promise<void> {
    const slices = this.plan.mayEndEarly ? new Slices(this.plan.streamed) : undefined;
    for await (const page of this.#pages()) {
      if (slices === undefined ? this.#builder.rows < SCAN_ROWS.group : page.tape.rows === 0) continue;
      const chunks = this.#builder.drain();
      this.#spool.add(chunks);
      slices?.apply(this.#builder.frameOf(chunks), true);
      if (slices?.isFull && this.#isFull()) return this.#recorder.end("capped", "head");
    }
    this.#spool.add(this.#builder.drain());
  }

  /** Whether a slice is complete. A later page may have changed the type of a column that decides, so only all rows prove it. */
  #isFull(): boolean {
    const slices = new Slices(this.plan.streamed);
    slices.apply(this.#spool.lazy().collectSync(), true);
    return slices.isFull;
  }

  #lazy(): LazyFrame {
    return this.#verbs.reduce((lazy, verb) => verb.apply(lazy), this.#spool.lazy());
  }

  /** The rows to write. polars' sinks may change the order of the rows of a join, so functions of the user run before. */
  #ordered(): LazyFrame {
    const rows = this.#lazy();
    return this.#verbs.some(({ isOpaque }) => isOpaque) ? runPolars(() => rows.collectSync()).lazy() : rows;
  }

  /** Rejects names that the first page with rows does not have: a typo is more likely than a column that appears late. */
  #checkNames(page?: Page): void {
    if (!this.#hasUnknownNames) return;
    this.#hasUnknownNames = false;
    const first = new FrameBuilder(this.#builder.columns);
    if (page !== undefined) first.add(page);
    checkVerbs(this.plan, first.take().slice(0, 0));
  }

  /** Fetches the rows, and makes something of them. An error has the rows so far. */
  async #withAllRows<T>(make: () => T | Promise<T>): Promise<T> {
    try {
      await this.#fetchAll();
      return await make();
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  /** @param frame default: none of the rows, which were yielded or written */
  #remember(frame?: PolarsFrame): void {
    const { provenance } = this;
    remember(this.client, this.#recorder, () => setProvenance(frame ?? this.#builder.frameOf([]), provenance));
  }

  /** The error to throw, with the rows not yielded, before any verb, as `partial`. */
  #withRows(error: unknown): unknown {
    const open = this.#builder.frameOf(this.#builder.drain());
    const rows = this.directory === undefined ? concatRows([this.#spool.lazy().collectSync(), open]) : undefined;
    this.#spool.close();
    const frame = () => {
      if (rows !== undefined) return rows;
      const hint = "Repeat the call that failed: it resumes.";
      throw new ArchiveError("the rows of an unfinished save are beside its file.", { code: "FILE_ERROR", hint });
    };
    return withPartial(this.client, this.#recorder, frame, error);
  }
}

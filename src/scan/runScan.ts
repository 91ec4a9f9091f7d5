import type { ClientContext } from "../call/clientContext.js";
import { callPages, remember, withPartial } from "../call/execution.js";
import { SpillBuffer } from "../files/spillBuffer.js";
import type { Chunk } from "../frames/chunk.js";
import type { Engine } from "../frames/engine.js";
import { concatRows, rebatched } from "../frames/frameBatches.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { derived } from "../frames/lineage/derived.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { rowsBytes } from "../pages/rows.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { DeclaredColumns } from "../service/operations/columns.js";
import { operations } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { checkVerbs, runPolars, type ScanPlan } from "./scanPlan.js";
import { VerbRunner } from "./verbRunner.js";

/** The limits of one run of a scan, after checking. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Stop after this many pages, with the page sizes of the service. */
  readonly maxPages?: number | undefined;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly engine: Engine;
  /** Pages that an earlier run of the same save has fetched, for its progress. */
  readonly resumed?: number | undefined;
}

/** Sizes in rows. Tests reduce them. */
export const SCAN_ROWS = {
  /** Rows per group of pages, if the run cannot end early. */
  group: 20_000,
  /** The largest frame of `batches()` without a `batchSize`. */
  batch: 5_000,
};

/** One run of a scan. Its rows are kept in a spool until they are consumed. */
export class ScanRun {
  readonly #recorder: ProvenanceRecorder;
  readonly #columns: DeclaredColumns;
  readonly #builder: FrameBuilder;
  readonly #spool = new SpillBuffer();
  readonly #verbs: VerbRunner;
  /** The plan has undeclared names, to be checked against the first page. */
  #hasUnknownNames: boolean;
  /** Bytes of the rows not yet in the spool, and the number of those that have been. */
  #bytes = 0;
  #spooled = 0;

  /** @throws ValidationError for a verb that cannot run on the declared columns */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
  ) {
    this.#recorder = new ProvenanceRecorder(plan.request, client);
    this.#columns = operations[plan.request.operation].columns;
    this.#builder = new FrameBuilder(this.#columns);
    this.#verbs = new VerbRunner(plan, this.#builder, this.#spool);
    this.#hasUnknownNames = !checkVerbs(plan, new FrameBuilder(this.#columns).take(), this.#columns);
  }

  /** The provenance of the rows fetched so far. */
  get provenance(): Provenance {
    const { streamed, gathered } = this.plan;
    const verbs = [...streamed, ...gathered];
    return verbs.reduce((provenance, { step }) => derived(provenance, step), this.#recorder.provenance());
  }

  async collect(): Promise<PolarsFrame> {
    const { streamed, gathered, mayEndEarly } = this.plan;
    // Without verbs the result is the rows themselves, which must fit into memory anyway.
    if (streamed.length === 0) this.#spool.maxBytes = Number.POSITIVE_INFINITY;
    try {
      await this.#fetchAll();
      const rows = mayEndEarly ? this.#verbs.all() : concatRows([...this.#verbs.runOnFinalTypes()]);
      const gather = () => gathered.reduce((lazy: LazyFrame, verb) => verb.apply(lazy), rows.lazy()).collectSync();
      const result = gathered.length === 0 ? rows : runPolars(gather);
      this.#discard();
      this.#remember(() => result);
      return setProvenance(result, this.provenance);
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  async count(): Promise<number> {
    const { streamed, gathered } = this.plan;
    let rows = 0;
    if (streamed.length === 0 && gathered.length === 0) {
      for await (const page of this.pages()) rows += page.tape.rows;
    } else for await (const frame of this.finalBatches(SCAN_ROWS.batch)) rows += frame.height;
    return rows;
  }

  /**
   * Yields frames as early as possible, with the columns and types so far. The first comes after one page with rows; later ones grow.
   */
  async *batches(size: number | undefined): AsyncGenerator<PolarsFrame, void, undefined> {
    const { gathered } = this.plan;
    if (gathered.length === 0) return yield* this.#stream(size);
    const rows = await this.collect();
    if (rows.height > 0) yield* this.#rebatched([rows], size ?? SCAN_ROWS.batch);
  }

  /**
   * Yields at least one frame, each of `size` rows except the last. Requests pages as fast as possible.
   * @param isFinal use the final columns and types; otherwise those of the rows so far, if no verb reads a column
   */
  async *finalBatches(size: number, isFinal = true): AsyncGenerator<PolarsFrame, void, undefined> {
    const { gathered, mayEndEarly, reads } = this.plan;
    if (gathered.length > 0 || mayEndEarly) return yield* this.#rebatched([await this.collect()], size);
    if (!isFinal && reads !== "all" && reads.size === 0) return yield* this.#stream(size, true);
    let hasFailed = false;
    try {
      await this.#fetchAll();
      yield* this.#rebatched(this.#verbs.runOnFinalTypes(), size);
    } catch (error) {
      hasFailed = true;
      throw this.#withRows(error);
    } finally {
      if (!hasFailed) this.#end();
    }
  }

  /** Yields the pages as sent, for a scan without verbs, and keeps none. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let rows = 0;
    let hasFailed = false;
    try {
      for await (const page of this.#fetch()) {
        rows = this.#recorder.rows;
        yield page;
      }
    } catch (error) {
      hasFailed = true;
      throw this.#withRows(error, rows);
    } finally {
      if (!hasFailed) this.#end();
    }
  }

  /** @param needsAll the consumer takes every frame, and needs at least one */
  async *#stream(size: number | undefined, needsAll = false): AsyncGenerator<PolarsFrame, void, undefined> {
    const verbs = this.#verbs;
    const rest = (always = false) => (verbs.rows > 0 || always ? [this.#withProvenance(verbs.take(verbs.rows))] : []);
    let target = size ?? 1;
    let isEmpty = needsAll;
    let hasFailed = false;
    const missing = () => target - verbs.rows;
    try {
      for await (const group of this.#groups(this.plan.mayEndEarly ? () => 1 : missing)) {
        verbs.add(group);
        while (verbs.rows >= target) {
          const rows = size ?? Math.min(verbs.rows, SCAN_ROWS.batch);
          target = size ?? Math.min(2 * rows, SCAN_ROWS.batch);
          isEmpty = false;
          yield this.#withProvenance(verbs.take(rows));
        }
        if (this.#isEnough()) break;
      }
      this.#capAtSlice();
      yield* rest(isEmpty);
    } catch (error) {
      hasFailed = true;
      const failure = this.#withRows(error);
      // Yield the rows that passed the verbs first, so that every row is either yielded or in `partial`.
      yield* rest();
      throw failure;
    } finally {
      if (!hasFailed) this.#end();
    }
  }

  /** The pages as the service sent them. */
  #fetch(): AsyncGenerator<Page, void, undefined> {
    const { request, rowsNeeded, mayEndEarly } = this.plan;
    const { budget, maxPages, signal, resumed } = this.bounds;
    const limits = [this.bounds.maxItems, rowsNeeded].filter((rows) => rows !== undefined);
    const maxItems = limits.length === 0 ? undefined : Math.min(...limits);
    const ahead = () => !mayEndEarly && !this.#hasUnknownNames;
    const call = { request, maxItems, signal };
    return callPages(this.client, call, this.#recorder, () => this.#builder.shape, {
      ahead,
      budget,
      maxPages,
      resumed,
    });
  }

  /** Yields groups of at least `wanted` rows, also kept in the spool; the last group has the rest. */
  async *#groups(wanted: () => number): AsyncGenerator<Chunk[], void, undefined> {
    let isEmpty = true;
    for await (const page of this.#fetch()) {
      this.#bytes += rowsBytes(page).length;
      this.#builder.add(page);
      if (page.tape.rows > 0) this.#checkNames(page);
      if (this.#builder.rows < Math.max(1, wanted())) continue;
      isEmpty = false;
      yield this.#spoolGroup();
    }
    this.#checkNames();
    const rest = this.#spoolGroup();
    if (isEmpty || rest.length > 0) yield rest;
  }

  #spoolGroup(): Chunk[] {
    this.#spooled += this.#builder.rows;
    const group = this.#builder.drain();
    this.#spool.push(group, this.#bytes);
    this.#bytes = 0;
    return group;
  }

  /** Ends a run that has not failed: its rows were yielded, or the caller left. Those of a failed run stay available as `error.partial`. */
  #end(): void {
    this.#discard();
    this.#builder.drain();
    this.#remember(() => this.#builder.take());
  }

  #discard(): void {
    this.#spool.drop(Number.POSITIVE_INFINITY);
  }

  /** Rejects names that the first page with rows does not have: a typo is more likely than a column that appears late. */
  #checkNames(page?: Page): void {
    if (!this.#hasUnknownNames) return;
    this.#hasUnknownNames = false;
    const first = new FrameBuilder(this.#columns);
    if (page !== undefined) first.add(page);
    checkVerbs(this.plan, first.take().slice(0, 0));
  }

  /** Fetches the rows of the plan into the spool, and runs the verbs too if their output decides when to stop. */
  async #fetchAll(): Promise<void> {
    const { mayEndEarly } = this.plan;
    for await (const group of this.#groups(() => (mayEndEarly ? 1 : SCAN_ROWS.group))) {
      if (!mayEndEarly) continue;
      this.#verbs.add(group);
      if (this.#isEnough()) break;
    }
    this.#capAtSlice();
  }

  /** Whether later rows cannot change the result. If so, records why the run ends. */
  #isEnough(): boolean {
    if (this.#verbs.isFull) this.#recorder.end("capped", "head");
    return this.#verbs.isFull;
  }

  /** Records that the run ended because the first slices were complete. */
  #capAtSlice(): void {
    if (this.#recorder.rows === this.plan.rowsNeeded) this.#recorder.end("capped", "head");
  }

  async *#rebatched(frames: Iterable<PolarsFrame>, size: number): AsyncGenerator<PolarsFrame, void, undefined> {
    for await (const frame of rebatched(frames, size)) yield this.#withProvenance(frame);
  }

  #withProvenance(frame: PolarsFrame): PolarsFrame {
    return setProvenance(frame, this.provenance);
  }

  #remember(frame: () => PolarsFrame): void {
    const { provenance } = this;
    remember(this.client, this.#recorder, () => setProvenance(frame(), provenance));
  }

  /** The error to throw, with the rows not yielded, before any verb, as `partial`. */
  #withRows(error: unknown, rows = this.#spooled + this.#builder.rows): unknown {
    const frame = () => {
      const chunks = [...[...this.#spool.groups()].flat(), ...this.#builder.drain()];
      this.#spool.close();
      return this.#builder.frameOf(chunks);
    };
    return withPartial(this.client, this.#recorder, { rows, frame }, error);
  }
}

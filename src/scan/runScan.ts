import type { ClientContext } from "../call/clientContext.js";
import { fetchedResult, withPartial } from "../call/execution.js";
import { SpillBuffer } from "../files/spillBuffer.js";
import { concatRows } from "../files/writers/columnarWriters.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { derived } from "../frames/lineage/derived.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Page } from "../service/paging/page.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { runPolars } from "./columnCheck.js";
import { RowSource, type RunBounds } from "./rowSource.js";
import type { ScanPlan } from "./scanPlan.js";
import { VerbRunner } from "./verbRunner.js";

/** Sizes in rows. Tests reduce them. */
export const SCAN_ROWS = {
  /** Rows per group of pages, if the run cannot end early. */
  group: 20_000,
  /** The largest frame of `batches()` without a `batchSize`. */
  batch: 5_000,
};

export class ScanRun {
  readonly #source: RowSource;
  readonly #verbs: VerbRunner;

  /** @throws ValidationError for a verb that cannot run on the declared columns */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
  ) {
    this.#source = new RowSource(client, plan, bounds);
    this.#verbs = new VerbRunner(this.#source);
  }

  /** The provenance of the rows fetched so far. */
  get provenance(): Provenance {
    const { streamed, gathered } = this.plan;
    return [...streamed, ...gathered].reduce(
      (provenance, { step }) => derived(provenance, step),
      this.#source.recorder.provenance(),
    );
  }

  async collect(): Promise<PolarsFrame> {
    const { streamed, gathered, mayEndEarly } = this.plan;
    // Without verbs the result is the rows themselves, which must fit into memory anyway.
    if (streamed.length === 0) this.#source.spool = new SpillBuffer(Number.POSITIVE_INFINITY);
    try {
      await this.#fetchAll();
      const rows = mayEndEarly ? this.#verbs.all() : concatRows([...this.#verbs.runOnFinalTypes()]);
      const gather = () => gathered.reduce((lazy: LazyFrame, verb) => verb.apply(lazy), rows.lazy()).collectSync();
      const result = gathered.length === 0 ? rows : runPolars(gather);
      this.#source.discard();
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
    if (gathered.length > 0) yield* this.#rebatch([await this.collect()], size ?? SCAN_ROWS.batch, false);
    else yield* this.#stream(size);
  }

  /**
   * Yields at least one frame, each of `size` rows except the last. Requests pages as fast as possible.
   * @param isFinal use the final columns and types; otherwise those of the rows so far, if no verb reads a column
   */
  async *finalBatches(size: number, isFinal = true): AsyncGenerator<PolarsFrame, void, undefined> {
    const { gathered, mayEndEarly, reads } = this.plan;
    if (gathered.length > 0 || mayEndEarly) return yield* this.#rebatch([await this.collect()], size, true);
    if (!isFinal && reads !== "all" && reads.size === 0) return yield* this.#stream(size, true);
    try {
      await this.#fetchAll();
      yield* this.#rebatch(this.#verbs.runOnFinalTypes(), size, true);
      this.#source.discard();
      this.#remember(() => this.#source.builder.take());
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  /** Yields the pages as sent, for a scan without verbs, and keeps none. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { recorder, builder } = this.#source;
    let rows = 0;
    try {
      for await (const page of this.#source.pages()) {
        rows = recorder.rows;
        yield page;
      }
      this.#remember(() => builder.take());
    } catch (error) {
      throw this.#withRows(error, rows);
    }
  }

  /** @param needsAll the consumer takes every frame, and needs at least one */
  async *#stream(size: number | undefined, needsAll = false): AsyncGenerator<PolarsFrame, void, undefined> {
    const verbs = this.#verbs;
    const rest = (always = false) => (verbs.rows > 0 || always ? [this.#withProvenance(verbs.take(verbs.rows))] : []);
    let target = size ?? 1;
    let isEmpty = needsAll;
    // After a failure the rows stay available as error.partial; after any other end they are discarded.
    let hasFailed = false;
    const missing = () => target - verbs.rows;
    try {
      for await (const group of this.#source.groups(this.plan.mayEndEarly ? () => 1 : missing)) {
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
      this.#remember(() => this.#source.builder.take());
      yield* rest(isEmpty);
    } catch (error) {
      hasFailed = true;
      // Yield the rows that passed the verbs first, so that every row is either yielded or in `partial`.
      yield* rest();
      throw this.#withRows(error);
    } finally {
      if (!hasFailed) this.#source.discard();
    }
  }

  /** Fetches the rows of the plan into the spool, and runs the verbs too if their output decides when to stop. */
  async #fetchAll(): Promise<void> {
    const { mayEndEarly } = this.plan;
    for await (const group of this.#source.groups(() => (mayEndEarly ? 1 : SCAN_ROWS.group))) {
      if (!mayEndEarly) continue;
      this.#verbs.add(group);
      if (this.#isEnough()) break;
    }
    this.#capAtSlice();
  }

  /** Whether later rows cannot change the result. If so, records why the run ends. */
  #isEnough(): boolean {
    if (this.#verbs.isFull) this.#source.recorder.end("capped", "head");
    return this.#verbs.isFull;
  }

  /** Records that the run ended because the first slices were complete. */
  #capAtSlice(): void {
    const { recorder } = this.#source;
    if (this.plan.rowsNeeded !== undefined && recorder.rows === this.plan.rowsNeeded) recorder.end("capped", "head");
  }

  *#rebatch(
    frames: Iterable<PolarsFrame>,
    size: number,
    evenIfEmpty: boolean,
  ): Generator<PolarsFrame, void, undefined> {
    let isEmpty = true;
    let rest: PolarsFrame | undefined;
    for (const frame of frames) {
      rest = rest === undefined ? frame : concatRows([rest, frame]);
      for (; rest.height >= size; rest = rest.slice(size, rest.height - size)) {
        isEmpty = false;
        yield this.#withProvenance(rest.slice(0, size));
      }
    }
    if (rest !== undefined && (rest.height > 0 || (isEmpty && evenIfEmpty))) yield this.#withProvenance(rest);
  }

  #withProvenance(frame: PolarsFrame): PolarsFrame {
    return setProvenance(frame, this.provenance);
  }

  #remember(frame: () => PolarsFrame): void {
    const { provenance } = this;
    this.client.remember(
      fetchedResult(this.#source.recorder, this.bounds.engine, () =>
        setProvenance(this.#inEngine(frame()), provenance),
      ),
    );
  }

  /** The error to throw, with the rows not yielded, before any verb, as `partial`. */
  #withRows(error: unknown, rows = this.#source.rows): unknown {
    const { call, recorder } = this.#source;
    const frame = () => this.#inEngine(this.#source.takeRest());
    return withPartial(this.client, call, recorder, { rows, frame }, error);
  }

  #inEngine(frame: PolarsFrame): FrameTypes[Engine] {
    return inEngine(frame, this.bounds.engine);
  }
}

import type { ClientContext } from "../call/clientContext.js";
import { withPartial } from "../call/execution.js";
import { harvestOf } from "../call/harvest.js";
import type { Chunk } from "../frames/chunk.js";
import { collectGarbage } from "../frames/collectGarbage.js";
import { type Engine, engines, type FrameTypes } from "../frames/engine.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { UnusablePageError } from "../frames/unusablePageError.js";
import { type Page, verifyRows } from "../service/paging/page.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { runPolars } from "./columnCheck.js";
import { DateOrder } from "./dateOrder.js";
import { RowSource, type RunBounds } from "./rowSource.js";
import type { ScanPlan } from "./scanPlan.js";
import { together, VerbRunner } from "./verbRunner.js";

/** Sizes in rows; tests make them small. */
export const SCAN_ROWS = {
  /** Rows that go through the verbs in one go, where nothing makes it stop early. */
  group: 20_000,
  /** The largest frame of `batches()` without a `batchSize`. */
  batch: 10_000,
};

/**
 * So many rows handed over frame by frame are some tens of megabytes that only the collector can free; and a collection takes
 * as long as some thousands of them.
 */
const ROWS_BETWEEN_COLLECTIONS = 40_000;

/** One run of a scan. */
export class ScanRun {
  readonly #source: RowSource;
  readonly #verbs: VerbRunner;
  readonly #order: DateOrder | undefined;
  /** Rows handed over since memory was last freed. */
  #handedOver = 0;

  /**
   * @param known the {@link flags} of a run over the same rows: all frames then have the columns and types of the whole
   * @throws ValidationError for a verb that the declared columns cannot satisfy
   */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
    known?: ReadonlyMap<string, number>,
  ) {
    this.#source = new RowSource(client, plan, bounds, known);
    const { columns, builder, spool } = this.#source;
    this.#verbs = new VerbRunner(plan, columns, builder, spool);
    this.#order = plan.pushed.stop && new DateOrder(plan.pushed.stop);
  }

  /** The columns that the service has sent so far, with the kinds of value in them. */
  get flags(): ReadonlyMap<string, number> {
    return this.#source.builder.flags;
  }

  /** Where the rows come from, as far as it has come. */
  get provenance(): Provenance {
    return this.#source.recorder.provenance();
  }

  /** Everything, as one frame. */
  async collect(): Promise<PolarsFrame> {
    try {
      await this.#fetch();
      const { gathered } = this.plan;
      const rows = this.#counts ? this.#verbs.all() : together([...this.#verbs.onFinalTypes()]);
      const gather = () => gathered.reduce((lazy: LazyFrame, step) => step.apply(lazy), rows.lazy()).collectSync();
      const result = gathered.length === 0 ? rows : runPolars(gather);
      this.#source.forget();
      this.#remember(() => result);
      return setProvenance(result, this.provenance);
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  /** How many rows there are. */
  async count(): Promise<number> {
    const { streamed, gathered } = this.plan;
    let rows = 0;
    if (streamed.length === 0 && gathered.length === 0) for await (const page of this.pages()) rows += page.ids.length;
    else for await (const frame of this.finalBatches(SCAN_ROWS.batch)) rows += frame.height;
    return rows;
  }

  /**
   * Frame after frame, as soon as may be. With a size each frame has so many rows, but for the last; without, the first comes
   * after one page with rows and the others are larger and larger. Columns and types are those of the rows so far.
   *
   * @throws ArchiveError `COLUMN_WIDENED` where rows were handed over that a later page shows to be wrong
   */
  async *batches(size: number | undefined): AsyncGenerator<PolarsFrame, void, undefined> {
    const { gathered } = this.plan;
    if (gathered.length > 0) yield* this.#slices([await this.collect()], size ?? SCAN_ROWS.batch, false);
    else yield* this.#asTheyCome(size);
  }

  /**
   * Frame after frame, each of `size` rows but for the last, and at least one. Where the type of a column matters to a verb, all
   * have the columns and types of the whole; else those of the rows so far. Pages are requested as fast as they can be.
   */
  async *finalBatches(size: number): AsyncGenerator<PolarsFrame, void, undefined> {
    const { gathered, reads } = this.plan;
    if (gathered.length > 0 || this.#counts) return yield* this.#slices([await this.collect()], size, true);
    if (reads !== "all" && reads.size === 0) return yield* this.#asTheyCome(size, true);
    try {
      await this.#fetch();
      yield* this.#slices(this.#verbs.onFinalTypes(), size, true);
      this.#source.forget();
      this.#remember(() => this.#source.builder.take());
    } catch (error) {
      throw this.#withRows(error);
    }
  }

  /** The pages as the service sent them, where no verb changes them. What was handed over is not kept. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { recorder, builder } = this.#source;
    let rows = 0;
    try {
      for await (const page of this.#source.pages()) {
        this.#check(page);
        rows = recorder.rows;
        yield page;
      }
      this.#remember(() => builder.take());
    } catch (error) {
      throw this.#withRows(error, rows);
    }
  }

  /** @param isWhole all frames are wanted, and at least one */
  async *#asTheyCome(size: number | undefined, isWhole = false): AsyncGenerator<PolarsFrame, void, undefined> {
    const verbs = this.#verbs;
    let target = size ?? 1;
    let isEmpty = true;
    // Of a failure the rows are kept; of a loop that was left, or is through, they are not.
    let isWanted = false;
    const missing = () => target - verbs.rows;
    if (!isWhole) this.#source.missing = missing;
    try {
      for await (const group of this.#source.groups(this.plan.mayEndEarly ? () => 1 : missing)) {
        verbs.add(group);
        while (verbs.rows >= target) {
          const rows = size ?? Math.min(verbs.rows, SCAN_ROWS.batch);
          target = size ?? Math.min(2 * rows, SCAN_ROWS.batch);
          isEmpty = false;
          yield await this.#traced(verbs.take(rows));
        }
        if (this.#isEnough(group)) break;
      }
      this.#endAtSlice();
      verbs.finish();
      const rest = verbs.rows > 0 || (isEmpty && isWhole) ? verbs.take(verbs.rows) : undefined;
      this.#remember(() => this.#source.builder.take());
      if (rest !== undefined) yield await this.#traced(rest);
    } catch (error) {
      isWanted = true;
      throw this.#withRows(error);
    } finally {
      if (!isWanted) this.#source.forget();
    }
  }

  /** What comes through the verbs decides when there is enough. */
  get #counts(): boolean {
    return this.plan.mayEndEarly && this.plan.streamed.some(({ slice }) => slice !== undefined);
  }

  /** Gets all rows that the plan needs into the spool; where they count, through the verbs as well. */
  async #fetch(): Promise<void> {
    const { mayEndEarly } = this.plan;
    for await (const group of this.#source.groups(() => (mayEndEarly ? 1 : SCAN_ROWS.group))) {
      if (this.#counts) this.#verbs.add(group);
      if (mayEndEarly && this.#isEnough(group)) break;
    }
    this.#endAtSlice();
  }

  /** No row to come can change the result; the account then says so. */
  #isEnough(group: readonly Chunk[]): boolean {
    const { recorder, builder } = this.#source;
    if (this.#verbs.isFull) {
      recorder.end("capped", "head");
      return true;
    }
    if (this.#order === undefined) return false;
    this.#order.add(builder.frameOf(group));
    if (this.#order.isBeyond) recorder.end("complete");
    return this.#order.isBeyond;
  }

  /** The walk took as many rows as the first slices let through. */
  #endAtSlice(): void {
    const { recorder } = this.#source;
    if (this.plan.rowsNeeded !== undefined && recorder.rows === this.plan.rowsNeeded) recorder.end("capped", "head");
  }

  #check(page: Page): void {
    try {
      verifyRows(page);
    } catch (cause) {
      throw new UnusablePageError(this.#source.recorder.pages - 1, cause);
    }
  }

  async *#slices(
    frames: Iterable<PolarsFrame>,
    size: number,
    evenEmpty: boolean,
  ): AsyncGenerator<PolarsFrame, void, undefined> {
    let isEmpty = true;
    let whole: PolarsFrame | undefined;
    for (const frame of frames) {
      whole = whole === undefined ? frame : together([whole, frame]);
      for (; whole.height >= size; whole = whole.slice(size, whole.height - size)) {
        isEmpty = false;
        yield await this.#traced(whole.slice(0, size));
      }
    }
    if (whole !== undefined && (whole.height > 0 || (isEmpty && evenEmpty))) yield await this.#traced(whole);
  }

  /** A frame of its own, to be handed over; those before it may be gone by now. */
  async #traced(frame: PolarsFrame): Promise<PolarsFrame> {
    await this.#source.recorder.settle(false);
    this.#handedOver += frame.height;
    if (this.#handedOver >= ROWS_BETWEEN_COLLECTIONS) {
      this.#handedOver = 0;
      collectGarbage();
    }
    return setProvenance(frame, this.provenance);
  }

  #remember(frame: () => PolarsFrame): void {
    const { provenance } = this;
    this.client.remember(
      harvestOf(this.#source.recorder, this.bounds.engine, () => setProvenance(this.#inEngine(frame()), provenance)),
    );
  }

  /** The error for the caller, with the rows as they came that were not handed over. */
  #withRows(error: unknown, rows = this.#source.rows): unknown {
    const { call, recorder } = this.#source;
    const frame = () => this.#inEngine(this.#source.frame(this.#verbs.consumed));
    return withPartial(this.client, call, recorder, { rows, frame }, error);
  }

  #inEngine(frame: PolarsFrame): FrameTypes[Engine] {
    return engines[this.bounds.engine].fromPolars(frame) as FrameTypes[Engine];
  }
}

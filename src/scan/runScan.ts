import { type WalkBounds, walkPages, withPartial } from "../calls/answer.js";
import type { CheckedCall } from "../calls/callOptions.js";
import type { Collector } from "../calls/collectors.js";
import type { Core } from "../calls/core.js";
import { harvestOf } from "../calls/harvest.js";
import { BrokenPage } from "../frames/brokenPage.js";
import { collectGarbage } from "../frames/collectGarbage.js";
import { concatFrames } from "../frames/concatFrames.js";
import { type Engine, engines, type FrameTypes } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { ValidationError } from "../service/errors/index.js";
import type { RequestBudget } from "../service/http/requestBudget.js";
import { operations } from "../service/operations/operations.js";
import { Account, type Provenance } from "../service/pages/account.js";
import { checkWalked, type Page } from "../service/pages/page.js";
import { escaped, quoted, quotedList } from "../service/quoted.js";
import { setProvenance } from "../snapshots/provenanceOf.js";
import { Pipeline } from "./pipeline.js";
import type { ScanPlan } from "./scanPlan.js";
import type { LazyFrame, Step } from "./step.js";

/** How one run of a scan is bounded. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Take so many pages, as they are sent. */
  readonly maxPages?: number | undefined;
  /** The requests of this run, shared by a second pass over its pages. */
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly engine: Engine;
}

/** Rows that go through the verbs in one go, where nothing makes it stop early. */
const BATCH_ROWS = 20_000;

/**
 * So many rows handed over frame by frame are some tens of megabytes that only the collector can free; and a collection takes
 * as long as some thousands of them.
 */
const ROWS_BETWEEN_COLLECTIONS = 40_000;

/** One run of a scan. */
export class ScanRun {
  readonly #account: Account;
  readonly #builder: FrameBuilder;
  readonly #pipeline: Pipeline;
  /** What has come through the verbs so far and was not handed over: the frame of a failure. */
  #frames: PolarsFrame[] = [];
  /** Rows handed over since memory was last freed. */
  #handedOver = 0;

  /** @param known the {@link kinds} of a run over the same rows: all frames then have the columns and types of the whole */
  constructor(
    readonly core: Core,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
    known?: ReadonlyMap<string, number>,
  ) {
    this.#account = new Account(plan.request, core);
    this.#builder = new FrameBuilder(operations[plan.request.operation].columns, known);
    this.#pipeline = new Pipeline(plan.streamed);
  }

  /** The columns that the service has sent so far, with the kinds of value in them. */
  get kinds(): ReadonlyMap<string, number> {
    return this.#builder.kinds;
  }

  /** Where the rows come from, as far as it has come. */
  get provenance(): Provenance {
    return this.#account.provenance();
  }

  /** Everything, as one frame. */
  async collect(): Promise<PolarsFrame> {
    for await (const frame of this.#streamed(BATCH_ROWS)) this.#frames.push(frame);
    const rows = concatFrames(this.#frames);
    const result = this.plan.gathered.length === 0 ? rows : this.#polars(() => this.#gather(rows));
    this.#remember(() => result);
    return setProvenance(result, this.#account.provenance());
  }

  /** Frame after frame, each of `rows` rows but the last; with `evenEmpty` one without rows where there are none. */
  async *batches(rows: number, evenEmpty = false): AsyncGenerator<PolarsFrame, void, undefined> {
    if (this.plan.gathered.length > 0) {
      const whole = await this.collect();
      for (let at = 0; at < whole.height || (at === 0 && evenEmpty); at += rows)
        yield await this.#traced(whole.slice(at, Math.min(rows, whole.height - at)));
      return;
    }
    let carried: PolarsFrame | undefined;
    let isEmpty = true;
    for await (const frame of this.#streamed(rows)) {
      let whole = carried === undefined || carried.height === 0 ? frame : concatFrames([carried, frame]);
      for (; whole.height >= rows; whole = whole.slice(rows, whole.height - rows)) {
        yield await this.#traced(whole.slice(0, rows));
        isEmpty = false;
      }
      carried = whole;
      this.#frames = [carried];
    }
    this.#remember(() => this.#builder.take());
    if (carried !== undefined && (carried.height > 0 || (isEmpty && evenEmpty))) yield await this.#traced(carried);
  }

  /** The pages as the service sent them, where no verb changes them. What was handed over is not kept. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { core } = this;
    let rows = 0;
    try {
      for await (const page of walkPages(core, this.#call, this.#account, this.#builder, this.#walkBounds)) {
        this.#check(page);
        rows = this.#account.rows;
        yield page;
      }
      this.#remember(() => this.#builder.take());
    } catch (error) {
      throw withPartial(core, this.#call, this.#account, { ...this.#soFar(), rows }, error);
    }
  }

  #check(page: Page): void {
    try {
      checkWalked(page);
    } catch (cause) {
      throw new BrokenPage(this.#account.pages - 1, cause);
    }
  }

  get #call(): CheckedCall {
    const { request, rowsNeeded } = this.plan;
    const { maxItems, signal, engine } = this.bounds;
    return { request, maxItems: least(maxItems, rowsNeeded), signal, format: "dataframe", engine };
  }

  get #walkBounds(): WalkBounds {
    const { budget, maxPages } = this.bounds;
    return { ahead: this.plan.mayEndEarly ? 0 : this.core.concurrency, budget, maxPages };
  }

  /** A frame of its own, to be handed over; those before it may be gone by now. */
  async #traced(frame: PolarsFrame): Promise<PolarsFrame> {
    await this.#account.settle(false);
    this.#handedOver += frame.height;
    if (this.#handedOver >= ROWS_BETWEEN_COLLECTIONS) {
      this.#handedOver = 0;
      collectGarbage();
    }
    return setProvenance(frame, this.#account.provenance());
  }

  #remember(frame: () => PolarsFrame): void {
    const provenance = this.#account.provenance();
    const made = () => engines[this.bounds.engine].fromPolars(frame()) as FrameTypes[Engine];
    this.core.remember(harvestOf(this.#account, () => setProvenance(made(), provenance)));
  }

  /** What comes through the streamed verbs, about `rows` rows of the service at a time; at least one frame. */
  async *#streamed(rows: number): AsyncGenerator<PolarsFrame, void, undefined> {
    const { core, plan } = this;
    const batch = plan.mayEndEarly ? 1 : rows;
    let first = true;
    try {
      const pages = walkPages(core, this.#call, this.#account, this.#builder, this.#walkBounds);
      for await (const page of pages) {
        this.#builder.add(page);
        if (this.#builder.rows < batch) continue;
        const raw = this.#builder.take();
        if (first) this.#checkColumns(raw);
        first = false;
        yield this.#polars(() => this.#pipeline.apply(raw));
        if (this.#pipeline.full) return this.#account.end("capped", "head");
        if (this.#isBeyond(raw)) return this.#account.end("complete");
      }
      const rest = this.#builder.take();
      if (first) this.#checkColumns(rest);
      if (first || rest.height > 0) yield this.#polars(() => this.#pipeline.apply(rest));
      if (plan.rowsNeeded !== undefined && this.#account.rows === plan.rowsNeeded) this.#account.end("capped", "head");
    } catch (error) {
      throw withPartial(core, this.#call, this.#account, this.#soFar(), error);
    }
  }

  /** Rows so far as the collector of a failed walk: what came through the verbs, and what had not been given to them. */
  #soFar(): Collector {
    return {
      shape: this.#builder.shape,
      rows: this.#builder.rows,
      add: () => undefined,
      result: () => undefined,
      frame: () => {
        const rest = this.#pipeline.apply(this.#builder.take());
        return engines[this.bounds.engine].fromPolars(concatFrames([...this.#frames, rest])) as FrameTypes[Engine];
      },
    };
  }

  /** Sorted by the service, the rows have passed the bound of a filter: none of those to come can pass it. */
  #isBeyond(raw: PolarsFrame): boolean {
    const { stop } = this.plan.pushed;
    if (stop === undefined || raw.height === 0) return false;
    const dates = [...raw.getColumn("date").toArray()] as unknown[];
    const times = dates.map((date) => (date instanceof Date ? date.getTime() : Number.NaN));
    const inOrder = times.every(
      (time, at) =>
        at === 0 || (stop.descending ? time <= (times[at - 1] as number) : time >= (times[at - 1] as number)),
    );
    const last = times.at(-1) as number;
    return inOrder && (stop.descending ? last < stop.moment : last > stop.moment);
  }

  /** A column that the first page does not have is a slip of the pen far more often than one that comes late. */
  #checkColumns(raw: PolarsFrame): void {
    const known = new Set(raw.columns);
    for (const step of [...this.plan.streamed, ...this.plan.gathered]) {
      const missing = step.needs?.find((name) => !known.has(name));
      if (missing !== undefined) throw unknownColumn(step, missing, raw.columns);
      if (step.changes === "all" || step.kind === "gather") return;
    }
  }

  #gather(rows: PolarsFrame): PolarsFrame {
    return this.plan.gathered.reduce((lazy: LazyFrame, step) => step.apply(lazy), rows.lazy()).collectSync();
  }

  /** Runs polars; what it does not like is a fault of the plan. */
  #polars<T>(run: () => T): T {
    try {
      return run();
    } catch (cause) {
      throw new ValidationError(
        `the scan cannot run: ${escaped((cause as Error).message.split("\n")[0] ?? "", 300)}.`,
        {
          hint: "Look at the plan with explain(), and at the columns with head(5).collect().",
          cause,
        },
      );
    }
  }
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function unknownColumn(step: Step, name: string, columns: readonly string[]): ValidationError {
  return new ValidationError(`invalid column in ${escaped(step.text, 200)}: ${quoted(name)} is not there.`, {
    hint: `The columns are ${quotedList(columns)}.`,
    parameter: name,
  });
}

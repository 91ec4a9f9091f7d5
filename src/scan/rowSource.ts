import type { CheckedCall } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import { type WalkBounds, walkPages } from "../call/pagination.js";
import { RowSpool } from "../files/rowSpool.js";
import type { Chunk } from "../frames/chunk.js";
import type { Engine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import type { RequestBudget } from "../service/http/requestBudget.js";
import { rowsBytes } from "../service/json/rowSlices.js";
import { type DeclaredColumns, operations } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { checkColumns } from "./columnCheck.js";
import type { ScanPlan } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

/** How one run of a scan is bounded. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Take so many pages, as they are sent. */
  readonly maxPages?: number | undefined;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly engine: Engine;
}

/** The rows of one run of a scan, as they come: walks the pages, and keeps the rows in a spool until they are not needed. */
export class RowSource {
  readonly recorder: ProvenanceRecorder;
  readonly columns: DeclaredColumns;
  readonly builder: FrameBuilder;
  readonly spool: RowSpool;
  /**
   * How many rows the consumer still needs for sure; no more than the pages with them, and one, are requested ahead. Undefined
   * where it needs all.
   */
  missing: (() => number) | undefined;
  readonly #steps: readonly Verb[];
  /** Names in the plan that are not declared wait for the first page. */
  #hasUnknownNames: boolean;
  /** The page that was looked at before it came. */
  #seen: Page | undefined;
  /** Rows of the first page, while their group is not full. */
  #first: Chunk[] = [];
  #firstRows = 0;
  /** Bytes of the rows that are not in the spool. */
  #bytes = 0;
  /** Rows that left the builder. */
  #drained = 0;

  /**
   * @param known the kinds of value of a run over the same rows: all frames then have the columns and types of the whole
   * @throws ValidationError for a verb that the declared columns cannot satisfy
   */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
    known?: ReadonlyMap<string, number>,
  ) {
    this.recorder = new ProvenanceRecorder(plan.request, client);
    this.columns = operations[plan.request.operation].columns;
    this.builder = new FrameBuilder(this.columns, known);
    // Without verbs the result is the rows themselves, which memory has to hold anyway.
    this.spool = new RowSpool(plan.streamed.length === 0 ? Number.POSITIVE_INFINITY : undefined);
    this.#steps = [...plan.streamed, ...plan.gathered];
    this.#hasUnknownNames = !checkColumns(this.#steps, new FrameBuilder(this.columns).take(), true);
  }

  get call(): CheckedCall {
    const { request, rowsNeeded } = this.plan;
    const { maxItems, signal, engine } = this.bounds;
    return { request, maxItems: least(maxItems, rowsNeeded), signal, format: "dataframe", engine };
  }

  /** Rows so far, without those of a page that could not be read. */
  get rows(): number {
    return this.#drained + this.builder.rows;
  }

  /** The pages as the service sent them. */
  pages(): AsyncGenerator<Page, void, undefined> {
    const { budget, maxPages } = this.bounds;
    const prefetchLimit = (page: Page) => this.#prefetchLimit(page);
    const ahead = this.plan.mayEndEarly ? 0 : this.client.concurrency;
    const bounds: WalkBounds = { ahead, prefetchLimit, budget, maxPages };
    return walkPages(this.client, this.call, this.recorder, () => this.builder.shape, bounds);
  }

  /** Groups of at least `wanted` rows as they came, in the spool; the last one has what is left. */
  async *groups(wanted: () => number): AsyncGenerator<Chunk[], void, undefined> {
    let isEmpty = true;
    for await (const page of this.pages()) {
      if (page !== this.#seen) this.#add(page);
      this.#checkNames(false);
      if (this.builder.rows + this.#firstRows < Math.max(1, wanted())) continue;
      isEmpty = false;
      yield this.#drain();
    }
    this.#checkNames(true);
    const rest = this.#drain();
    if (isEmpty || rest.length > 0) yield rest;
  }

  /**
   * The rows before any verb, from the spool on; the spool is empty afterwards.
   *
   * @param from so many rows at the beginning are left out
   */
  frame(from: number): PolarsFrame {
    const chunks = [...this.spool.groups()].flat();
    chunks.push(...this.#first);
    try {
      chunks.push(...this.builder.drain());
    } catch {
      // A page that cannot be read: the second time it gives those before it.
      chunks.push(...this.builder.drain());
    }
    this.spool.close();
    const frame = this.builder.frameOf(chunks);
    return from === 0 ? frame : frame.slice(from, frame.height - from);
  }

  /** Lets go of all rows: they have been handed over, or nobody wants them. */
  forget(): void {
    this.spool.drop(Number.POSITIVE_INFINITY);
    this.#first = [];
  }

  #add(page: Page): void {
    this.builder.add(page);
    this.#bytes += rowsBytes(page).length;
  }

  #leave(): Chunk[] {
    const { rows } = this.builder;
    const chunks = this.builder.drain();
    this.#drained += rows;
    return chunks;
  }

  /** Moves the rows that wait into the spool. */
  #drain(): Chunk[] {
    const group = [...this.#first, ...this.#leave()];
    this.spool.push(group, this.#bytes);
    this.#first = [];
    this.#firstRows = 0;
    this.#bytes = 0;
    return group;
  }

  /**
   * Refuses names that the first page with rows does not have: a column that comes later is rare, a slip of the pen is not.
   *
   * @param isEnd no page follows
   */
  #checkNames(isEnd: boolean): void {
    if (!this.#hasUnknownNames || (this.builder.rows === 0 && !isEnd)) return;
    this.#hasUnknownNames = false;
    this.#firstRows = this.builder.rows;
    this.#first = this.#leave();
    checkColumns(this.#steps, this.builder.frameOf(this.#first).slice(0, 0), false);
  }

  /** How many requests may be under way while a page is worked on. */
  #prefetchLimit(page: Page): number {
    if (this.#hasUnknownNames) {
      this.#seen = page;
      this.#add(page);
      this.#checkNames(false);
    }
    if (this.missing === undefined) return Number.POSITIVE_INFINITY;
    const rows = page.ids.length;
    const here = this.#firstRows + this.builder.rows + (page === this.#seen ? 0 : rows);
    return 1 + Math.max(0, Math.ceil((this.missing() - here) / Math.max(1, rows)));
  }
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

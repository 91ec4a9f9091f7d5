import type { CheckedCall } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import { callPages, type PageBounds } from "../call/execution.js";
import { SpillBuffer } from "../files/spillBuffer.js";
import type { Chunk } from "../frames/chunk.js";
import type { Engine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { rowsBytes } from "../pages/rows.js";
import type { RequestBudget } from "../service/http/requester.js";
import { type DeclaredColumns, operations } from "../service/operations/operations.js";
import type { Page } from "../service/paging/page.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { checkVerbs } from "./columnCheck.js";
import type { ScanPlan } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

/** The limits of one run of a scan, after checking. */
export interface RunBounds {
  readonly maxItems: number | undefined;
  /** Stop after this many pages, with the page sizes of the service. */
  readonly maxPages?: number | undefined;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal | undefined;
  readonly engine: Engine;
}

/** The rows of one run of a scan, kept in a spool until they are consumed. */
export class RowSource {
  readonly recorder: ProvenanceRecorder;
  readonly columns: DeclaredColumns;
  readonly builder: FrameBuilder;
  spool = new SpillBuffer();
  readonly #verbs: readonly Verb[];
  /** The plan has undeclared names, to be checked against the first page. */
  #hasUnknownNames: boolean;
  /** Bytes of the rows not yet in the spool. */
  #bytes = 0;
  #drained = 0;

  /** @throws ValidationError for a verb that cannot run on the declared columns */
  constructor(
    readonly client: ClientContext,
    readonly plan: ScanPlan,
    readonly bounds: RunBounds,
  ) {
    this.recorder = new ProvenanceRecorder(plan.request, client);
    this.columns = operations[plan.request.operation].columns;
    this.builder = new FrameBuilder(this.columns);
    this.#verbs = [...plan.streamed, ...plan.gathered];
    this.#hasUnknownNames = !checkVerbs(this.#verbs, new FrameBuilder(this.columns).take(), this.columns);
  }

  get call(): CheckedCall {
    const { request, rowsNeeded } = this.plan;
    const { maxItems, signal, engine } = this.bounds;
    return { request, maxItems: smaller(maxItems, rowsNeeded), signal, format: "dataframe", engine };
  }

  /** Rows so far, without those of an unusable page. */
  get rows(): number {
    return this.#drained + this.builder.rows;
  }

  /** The pages as the service sent them. */
  pages(): AsyncGenerator<Page, void, undefined> {
    const { budget, maxPages } = this.bounds;
    const ahead = () => !this.plan.mayEndEarly && !this.#hasUnknownNames;
    const bounds: PageBounds = { ahead, budget, maxPages };
    return callPages(this.client, this.call, this.recorder, () => this.builder.shape, bounds);
  }

  /** Yields groups of at least `wanted` rows, also kept in the spool; the last group has the rest. */
  async *groups(wanted: () => number): AsyncGenerator<Chunk[], void, undefined> {
    let isEmpty = true;
    for await (const page of this.pages()) {
      this.#bytes += rowsBytes(page).length;
      this.builder.add(page);
      if (page.tape.rows > 0) this.#checkNames(page);
      if (this.builder.rows < Math.max(1, wanted())) continue;
      isEmpty = false;
      yield this.#spoolGroup();
    }
    this.#checkNames();
    const rest = this.#spoolGroup();
    if (isEmpty || rest.length > 0) yield rest;
  }

  /** All rows not yet consumed, before any verb. Closes the spool. */
  takeRest(): PolarsFrame {
    const chunks = [...[...this.spool.groups()].flat(), ...this.builder.drain()];
    this.spool.close();
    return this.builder.frameOf(chunks);
  }

  discard(): void {
    this.spool.drop(Number.POSITIVE_INFINITY);
  }

  #spoolGroup(): Chunk[] {
    this.#drained += this.builder.rows;
    const group = this.builder.drain();
    this.spool.push(group, this.#bytes);
    this.#bytes = 0;
    return group;
  }

  /** Rejects names that the first page with rows does not have: a typo is more likely than a column that appears late. */
  #checkNames(page?: Page): void {
    if (!this.#hasUnknownNames) return;
    this.#hasUnknownNames = false;
    const first = new FrameBuilder(this.columns);
    if (page !== undefined) first.add(page);
    checkVerbs(this.#verbs, first.take().slice(0, 0));
  }
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

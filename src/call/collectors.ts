import { toCsv } from "../files/toCsv.js";
import { type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { FrameBuilder } from "../frames/frameBuilder.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { declaredShape, type RowShape } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import type { CheckedCall } from "./callOptions.js";

/** Collects the pages of a call into its result. */
export interface Collector {
  /** The row shape that the scanner expects in the next page. */
  readonly shape: RowShape;
  /** Rows so far. */
  readonly rows: number;
  /** @throws UnusablePageError if the page makes the result too large */
  add(page: Page): void;
  /** The result in the format of the call. */
  result(): unknown;
  /** The rows so far as a frame, in any format. */
  frame(): FrameTypes[Engine];
}

/** The collector for the format of a call. */
export function collectorFor(call: CheckedCall): Collector {
  return call.format === "dataframe" ? new FrameCollector(call) : new RowCollector(call);
}

class FrameCollector implements Collector {
  readonly #builder: FrameBuilder;

  constructor(readonly call: CheckedCall) {
    this.#builder = new FrameBuilder(operations[call.request.operation].columns);
  }

  get shape(): RowShape {
    return this.#builder.shape;
  }

  get rows(): number {
    return this.#builder.rows;
  }

  add(page: Page): void {
    this.#builder.add(page);
  }

  result(): FrameTypes[Engine] {
    return inEngine(this.#builder.take(), this.call.engine);
  }

  frame(): FrameTypes[Engine] {
    return this.result();
  }
}

class RowCollector implements Collector {
  readonly shape: RowShape;
  readonly #rows: Row[] = [];
  #page: Page | undefined;

  constructor(readonly call: CheckedCall) {
    this.shape = declaredShape(operations[call.request.operation].columns);
  }

  get rows(): number {
    return this.#rows.length;
  }

  add(page: Page): void {
    for (const row of pageRows(page)) this.#rows.push(row);
    if (this.call.format === "json") this.#page = page;
  }

  result(): unknown {
    const { format, maxItems, request } = this.call;
    if (format === "csv") return toCsv(this.#rows, { columns: Object.keys(operations[request.operation].columns) });
    if (format === "json" && maxItems === undefined) return JSON.parse(String(this.#page?.bytes));
    return this.#rows;
  }

  frame(): FrameTypes[Engine] {
    return toDataFrame(this.#rows, { engine: this.call.engine, operation: this.call.request.operation });
  }
}

import { concatFrames } from "../../frames/concatFrames.js";
import { FrameBuilder } from "../../frames/frameBuilder.js";
import { selectColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { RowShape } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import type { Page } from "../../service/paging/page.js";

/** People or programs that were looked up, on their way into their table. */
export class LookedUpRows {
  readonly #builder: FrameBuilder;
  readonly #found: string[] = [];
  readonly #unknown: string[] = [];

  constructor(readonly operation: "person" | "program") {
    this.#builder = new FrameBuilder(operations[operation].columns);
  }

  get size(): number {
    return this.#found.length + this.#unknown.length;
  }

  get shape(): RowShape {
    return this.#builder.shape;
  }

  /** @param page with one row */
  add(id: string, page: Page): void {
    this.#builder.add(page);
    this.#found.push(id);
  }

  addUnknown(id: string): void {
    this.#unknown.push(id);
  }

  /** The table with these rows, sorted by id, with the columns in an order that does not depend on the order of the responses. */
  addTo(table: PolarsFrame | undefined): PolarsFrame {
    const found = this.#builder.take();
    const frames = [
      ...(table === undefined ? [] : [table]),
      // The id that was asked for is the one that mentions have, whatever the row says.
      withColumns(found, idColumn(this.#found), this.#found, true),
      withColumns(found.slice(0, 0).select("id"), idColumn(this.#unknown), this.#unknown, false),
    ];
    const all = concatFrames(frames);
    const declared = Object.keys(operations[this.operation].columns);
    const others = all.columns.filter((name) => !declared.includes(name) && name !== "resolved").sort();
    return selectColumns(all.sort("id"), [...declared, ...others, "resolved"]);
  }
}

function withColumns(frame: PolarsFrame, id: pl.Series, ids: readonly string[], resolved: boolean): PolarsFrame {
  const flags = pl.Series(
    "resolved",
    ids.map(() => resolved),
    pl.Bool,
  );
  if (frame.height === ids.length) return frame.withColumns(id, flags);
  return pl.DataFrame([id, flags]);
}

function idColumn(ids: readonly string[]): pl.Series {
  const areNumbers = ids.every((id) => /^\d{1,15}$/.test(id));
  return areNumbers ? pl.Series("id", ids.map(Number), pl.Int64) : pl.Series("id", [...ids], pl.Utf8);
}

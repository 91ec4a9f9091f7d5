import { concatFrames } from "../../frames/concatFrames.js";
import { FrameBuilder } from "../../frames/frameBuilder.js";
import { selectColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { RowShape } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import type { Page } from "../../service/paging/page.js";
import { storable } from "../state/columns.js";

/** People or programs that were looked up, on their way into their table. */
export class LookedUpRows {
  readonly #builder: FrameBuilder;
  readonly #found: string[] = [];
  readonly #unknown: string[] = [];

  /** @param today yyyy-mm-dd */
  constructor(
    readonly operation: "person" | "program",
    readonly today: string,
  ) {
    this.#builder = new FrameBuilder(operations[operation].columns);
  }

  get size(): number {
    return this.#found.length + this.#unknown.length;
  }

  get ids(): readonly string[] {
    return [...this.#found, ...this.#unknown];
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

  /** The table with these rows, by id, with the columns in an order that does not depend on the order of the responses. */
  addTo(table: PolarsFrame | undefined): PolarsFrame {
    // The id that was asked for is the one that mentions have, whatever the row says.
    const found = storedRows(this.#builder.take()).withColumns(...idColumns(this.#found, true, this.today));
    const unknown = pl.DataFrame(idColumns(this.#unknown, false, this.today));
    const all = concatFrames(table === undefined ? [found, unknown] : [table, found, unknown]);
    const declared = Object.keys(operations[this.operation].columns);
    const own = ["resolved", "looked_up"];
    const others = all.columns.filter((name) => !declared.includes(name) && !own.includes(name)).sort();
    return selectColumns(all, [...declared, ...others, ...own]);
  }
}

/** Rows whose columns do not have the names of those of the corpus. */
function storedRows(rows: PolarsFrame): PolarsFrame {
  const { frame } = storable(rows);
  frame.columns = frame.columns.map((name) => (/^(resolved|looked_up)$/i.test(name) ? `${name}_` : name));
  return frame;
}

function idColumns(ids: readonly string[], resolved: boolean, today: string): pl.Series[] {
  const areNumbers = ids.every((id) => /^\d{1,15}$/.test(id));
  const id = areNumbers ? pl.Series("id", ids.map(Number), pl.Int64) : pl.Series("id", [...ids], pl.Utf8);
  const flags = ids.map(() => resolved);
  const days = pl
    .Series(
      "looked_up",
      ids.map(() => today),
      pl.Utf8,
    )
    .str.strptime(pl.Date, "%Y-%m-%d")
    .rename("looked_up");
  return [id, pl.Series("resolved", flags, pl.Bool), days];
}

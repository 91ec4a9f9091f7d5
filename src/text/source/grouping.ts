import { invalid, nonEmptyString } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { PERIODS, type Period, periodOf } from "../../util/period.js";
import { hasColumn, requireColumns, timesOf, valuesOf } from "./columns.js";
import type { ResultColumn } from "./resultFrame.js";

/** A column to group by, or a period of `begintime`: `"day"`, `"week"` (from Monday), `"month"` or `"year"` (UTC). */
export type By = string | readonly string[];

/** dtypes whose values can be put into a column again; those of other columns are grouped as text. */
const SAME_TYPE = new Set(["Int64", "Float64", "Bool", "Utf8", "String"]);

/**
 * Groups rows by columns and periods. A group is known by its index; groups are in the order of their first row.
 *
 * The name of a period means the column of that name if the rows have one.
 */
export class Grouping {
  readonly by: readonly string[];
  /** The values of each group, in the order of {@link by}. */
  readonly groups: (readonly unknown[])[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #dtypes = new Map<string, pl.Series["dtype"]>();
  readonly #periods = new Set<string>();

  /** @throws ValidationError for anything but distinct names */
  constructor(by: By | undefined) {
    this.by = (typeof by === "string" ? [by] : (by ?? [])).map((name) => nonEmptyString("by", name, "month"));
    if (new Set(this.by).size < this.by.length) throw invalid("by", by, "Give every column once.");
  }

  /** The period among the keys, and its position; undefined if there is none. */
  get period(): { readonly period: Period; readonly at: number } | undefined {
    const at = this.by.findIndex((name) => this.#periods.has(name));
    return at < 0 ? undefined : { period: this.by[at] as Period, at };
  }

  /** The group of every row. */
  indexes(frame: PolarsFrame, name = "source"): readonly number[] {
    if (this.by.length === 0) {
      this.indexOf([]);
      return new Array<number>(frame.height).fill(0);
    }
    const columns = this.by.map((each) => this.#keys(frame, each, name));
    return Array.from({ length: frame.height }, (_, row) => this.indexOf(columns.map((column) => column[row] ?? null)));
  }

  /** The group with the given values; it is added if it is new. */
  indexOf(values: readonly unknown[]): number {
    const key = values.length === 1 ? keyOf(values[0]) : values.map(keyOf).join("\0");
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.groups.length);
    return this.groups.push(values) - 1;
  }

  /** The values of a group as text; null if one is missing or empty. */
  label(group: number): string | null {
    const values = this.groups[group] ?? [];
    return values.some((value) => value === null || value === "") ? null : values.map(String).join(", ");
  }

  /** The columns of a result whose rows belong to the given groups. */
  columns(groups: readonly number[]): ResultColumn[] {
    return this.by.map((name, at) => ({
      name,
      values: groups.map((group) => this.groups[group]?.[at] ?? null),
      dtype: this.#periods.has(name) ? pl.Date : (this.#dtypes.get(name) ?? pl.Utf8),
    }));
  }

  #keys(frame: PolarsFrame, name: string, source: string): readonly unknown[] {
    if (!hasColumn(frame, name) && (PERIODS as readonly string[]).includes(name)) {
      requireColumns(frame, ["begintime"], source);
      this.#periods.add(name);
      const begins = new Map<number, string>();
      return timesOf(frame).map((time) => (time === null ? null : beginOf(time, name as Period, begins)));
    }
    requireColumns(frame, [name], source);
    const series = frame.getColumn(name);
    const isSame = SAME_TYPE.has(series.dtype.variant);
    if (!this.#dtypes.has(name) && series.dtype.variant !== "Null") {
      this.#dtypes.set(name, isSame ? series.dtype : pl.Utf8);
    }
    return isSame ? valuesOf(frame, name) : [...series.cast(pl.Utf8).toArray()];
  }
}

const DAY = 86_400_000;

/** The first day of the period of a time; each day is computed once. */
function beginOf(time: number, period: Period, begins: Map<number, string>): string {
  const day = Math.floor(time / DAY);
  const begin = begins.get(day) ?? periodOf(time, period).begin;
  begins.set(day, begin);
  return begin;
}

/** 5 and "5" differ, and so do null and "null". */
function keyOf(value: unknown): string {
  return typeof value === "string" ? `"${value}` : String(value);
}

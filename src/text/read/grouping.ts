import { invalid, nonEmptyString } from "../../errors/validators.js";
import { cellText } from "../../frames/dtypes.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { ResultColumn } from "../../frames/resultFrame.js";
import { congressDates } from "../../util/congress.js";
import { DAY, PERIODS, type Period, periodName, periodOf } from "../../util/period.js";
import { periodsOf } from "./periods.js";
import { hasColumn, requireColumns, textsOf, timesOf } from "./textSource.js";

/** Columns, or a period of `begintime`: `"day"`, `"week"` (from Monday), `"month"`, `"quarter"`, `"year"` (UTC) or `"congress"`. */
export type By = string | readonly string[];

/** The types of group columns. Narrower numbers are widened to one of them, and other types become text. */
const DTYPES = { Int64: pl.Int64, Float64: pl.Float64, Bool: pl.Bool, Utf8: pl.Utf8 } as const;
type GroupType = keyof typeof DTYPES;

/**
 * Groups rows by columns and periods. Groups have indexes in the order of their first row.
 *
 * A column with the name of a period takes precedence over the period. Batches may have different types for a column: values are compared
 * as text, and the result has the type that one frame of all rows would have.
 */
export class Grouping {
  readonly by: readonly string[];
  /** The values of each group as text. */
  readonly #groups: (readonly (string | null)[])[] = [];
  readonly #indexes = new Map<string, number>();
  /** The types of each column in all batches, except where it has no values. */
  readonly #types = new Map<string, Set<GroupType>>();
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

  /** The values of each group, in the order of {@link by}, in their final types. */
  get groups(): readonly (readonly unknown[])[] {
    const types = this.by.map((name) => this.#typeOf(name));
    return this.#groups.map((texts) => texts.map((text, at) => parseGroupValue(text, types[at] as GroupType)));
  }

  /** The group of each row. */
  indexes(frame: PolarsFrame, name = "source"): readonly number[] {
    // One group, even without rows.
    if (this.by.length === 0) return new Array<number>(frame.height).fill(this.ensureGroup([]));
    const columns = this.by.map((each) => this.#keys(frame, each, name));
    return Array.from({ length: frame.height }, (_, row) => this.ensureGroup(columns.map((each) => each[row] ?? null)));
  }

  /** The index of the group with these values, which is added if it is new. */
  ensureGroup(values: readonly unknown[]): number {
    const texts = values.map((value) => (value === null ? null : cellText(value)));
    // null and "null" differ.
    const key = JSON.stringify(texts);
    const index = this.#indexes.get(key);
    if (index !== undefined) return index;
    this.#indexes.set(key, this.#groups.length);
    return this.#groups.push(texts) - 1;
  }

  /** The values of a group for display: a quarter by its name, `"2024-Q1"`. Null if one is missing or empty. */
  label(group: number): string | null {
    const texts = this.#groups[group] ?? [];
    if (texts.some((text) => text === null || text === "")) return null;
    return texts.map((text, at) => labelOf(this.by[at] as string, text as string)).join(", ");
  }

  /** The columns of a result whose rows belong to the given groups. */
  columns(groups: readonly number[]): ResultColumn[] {
    return this.by.map((name, at) => {
      const type = this.#typeOf(name);
      return {
        name,
        values: groups.map((group) => parseGroupValue(this.#groups[group]?.[at] ?? null, type)),
        dtype: this.#periods.has(name) && name !== "congress" ? pl.Date : DTYPES[type],
      };
    });
  }

  #keys(frame: PolarsFrame, name: string, source: string): readonly (string | null)[] {
    if (hasColumn(frame, name)) {
      const texts = textsOf(frame, name);
      const types = this.#types.get(name) ?? new Set();
      this.#types.set(name, types);
      if (texts.some((text) => text !== null)) types.add(groupType(frame.getColumn(name).dtype.variant));
      return texts;
    }
    // A column of earlier batches is null in a batch without it.
    if (this.#types.has(name)) return new Array<null>(frame.height).fill(null);
    if (!(PERIODS as readonly string[]).includes(name)) requireColumns(frame, [name], source);
    requireColumns(frame, ["begintime"], source);
    this.#periods.add(name);
    const keys = new Map<number, string>();
    return timesOf(frame).map((time) => {
      if (time === null) return null;
      const day = Math.floor(time / DAY);
      const key = keys.get(day) ?? keyOfPeriod(periodOf(time, name as Period).begin, name as Period);
      keys.set(day, key);
      return key;
    });
  }

  /** The narrowest type that holds all values of a column. */
  #typeOf(name: string): GroupType {
    // Congresses have numbers, other periods the date of their first day.
    if (this.#periods.has(name)) return name === "congress" ? "Int64" : "Utf8";
    const types = [...(this.#types.get(name) ?? [])];
    if (types.length === 1) return types[0] as GroupType;
    const isNumber = types.length > 0 && types.every((type) => type === "Int64" || type === "Float64");
    return isNumber ? "Float64" : "Utf8";
  }
}

function groupType(variant: string): GroupType {
  const type = variant.replace(/^U?Int(?:8|16|32)$/, "Int64").replace("Float32", "Float64");
  return type in DTYPES ? (type as GroupType) : "Utf8";
}

function labelOf(by: string, text: string): string {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day === undefined || !(PERIODS as readonly string[]).includes(by)) return text;
  return periodOf(Date.parse(day), by as Period).begin === day ? periodName(day, by as Period) : text;
}

function parseGroupValue(text: string | null, type: GroupType): unknown {
  if (text === null || type === "Utf8") return text;
  if (type === "Bool") return text === "true";
  return type === "Int64" && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text);
}

/** The value of a period in a column: its first day, or the number of the Congress. */
function keyOfPeriod(begin: string, period: Period): string {
  return period === "congress" ? periodName(begin, period) : begin;
}

/**
 * Adds groups for the periods without rows, from the first to the last one of all groups and of the range. Returns the indexes of all
 * groups, sorted by their values, missing ones last.
 */
export function withEveryPeriod(grouping: Grouping, range: readonly number[]): readonly number[] {
  const { period } = grouping;
  if (period !== undefined) {
    const { at, period: name } = period;
    const begins = new Set(grouping.groups.map((values) => values[at]).filter((begin) => begin !== null));
    const days =
      begins.size === 0 ? [] : periodsOf([...[...begins].map((begin) => timeOf(begin, name)), ...range], name);
    const textOf = (value: unknown) => (value === null ? null : String(value));
    const otherValues = grouping.groups.map(
      (values) => [JSON.stringify(values.toSpliced(at, 1).map(textOf)), values] as const,
    );
    for (const values of new Map(otherValues).values())
      for (const { begin } of days) grouping.ensureGroup(values.toSpliced(at, 1, keyOfPeriod(begin, name)));
  }
  const { groups } = grouping;
  return [...groups.keys()].sort((a, b) => compareValues(groups[a] ?? [], groups[b] ?? []));
}

function timeOf(key: unknown, period: Period): number {
  return Date.parse(period === "congress" ? congressDates(Number(key)).mindate : String(key));
}

function compareValues(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at];
    if (value === other) continue;
    if (value === null || other === null) return value === null ? 1 : -1;
    return (value as string) < (other as string) ? -1 : 1;
  }
  return 0;
}

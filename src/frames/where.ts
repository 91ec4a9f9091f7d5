import { types } from "node:util";
import type { ValidationError } from "../errors/index.js";
import { didYouMean, faulty, invalid } from "../errors/validators.js";
import { operations } from "../service/operations/operations.js";
import { isObject } from "../util/objects.js";
import { quotedList } from "../util/text.js";
import { isPolarsFrame } from "./engine.js";
import { type PolarsExpr, pl } from "./polars.js";
import { integerLiteral } from "./polarsPlan.js";
import { TIMESTAMP } from "./resultFrame.js";

/** A value of a cell; null for a row without one. */
type Cell = string | number | bigint | boolean | Date | null;

/** Greater or less than a value, or equal to it. */
type Comparisons = { readonly [O in "gt" | "gtEq" | "gte" | "lt" | "ltEq" | "lte"]?: Exclude<Cell, null | boolean> };

/** Limits of a value; `gte` is `gtEq`, and `lte` is `ltEq`. `from` and `until` take dates, and include all of the day, month or year. */
export interface Limits extends Comparisons {
  /** At this time or later. */
  readonly from?: string | Date;
  /** At this time or earlier, the whole day included. */
  readonly until?: string | Date;
  /** Anything but this: `{ not: null }`, `{ not: ["CA", "TX"] }`. Rows without a value pass only a `not` of null. */
  readonly not?: Cell | readonly Cell[] | RegExp;
}

/** A value, one of several, a match of a regular expression, or limits. */
export type Condition = Cell | readonly Cell[] | RegExp | Limits;

/** Conditions by column. */
export type Conditions<R extends object = Record<string, unknown>> = { readonly [K in keyof R]?: Condition };

const ALIASES: Readonly<Record<string, string>> = { gte: "gtEq", lte: "ltEq" };
const LIMITS = ["gt", "gtEq", "lt", "ltEq", "not", "from", "until"];

/** Conditions by column, as given to {@link where}. */
export type WhereConditions = Readonly<Record<string, Condition>>;

const conditionsOf = new WeakMap<PolarsExpr, WhereConditions>();

/** The conditions of an expression returned by {@link where}; undefined for any other expression, also one derived from it. */
export function whereOf(expr: PolarsExpr): WhereConditions | undefined {
  return conditionsOf.get(expr);
}

/**
 * Creates a polars expression for rows that meet all conditions, for `filter` of frames, lazy frames and scans, without `pl.lit` or casts.
 * Rows without a value meet no condition but null.
 *
 * A timestamp equals a date if it is on that day (UTC). Integers are compared exactly. A value has to be of the type of its column.
 *
 * @typeParam R the type of a row, to check names: `where<FrameRow<"mentions">>({…})`
 * @param conditions by column: a value, a list of values, null, a regular expression (in the syntax of Rust: no lookaround, no
 * backreferences), or limits
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 500 });
 * const long = where({ length: { gt: 60 }, begintime: { from: "2024-03", until: "2024-06-15" }, personid: { not: 999999 } });
 * frame.filter(long).height < frame.height; //=> true
 * frame.filter(where({ text: /carbon (tax|price)/i, person: { not: null }, length: [30, 60] }));
 */
export function where<R extends object = Record<string, unknown>>(conditions: Conditions<R>): PolarsExpr {
  const example = 'Give columns and their values, for example frame.filter(where({ party: "Democrat" })).';
  if (isPolarsFrame(conditions)) throw faulty("conditions", "they are a frame", example);
  const entries = isObject(conditions) ? Object.entries(conditions) : [];
  if (entries.length === 0) throw invalid("conditions", conditions, example);
  if (entries.every(([name]) => LIMITS.includes(ALIASES[name] ?? name) || name === "to")) {
    const hint = 'They belong to a column: where({ begintime: { from: "2024", until: "2025" } }).';
    throw invalid("conditions", conditions, hint);
  }
  const expr = entries
    .map(([name, condition]) => conditionOf(name, condition))
    .reduce((left, right) => left.and(right));
  conditionsOf.set(expr, structuredClone(conditions) as WhereConditions);
  return expr;
}

function conditionOf(name: string, condition: unknown): PolarsExpr {
  if (condition === null) return pl.col(name).isNull();
  if (Array.isArray(condition)) return anyOf(name, condition);
  // Not `instanceof`: Date and RegExp of a notebook cell may be other classes.
  if (types.isRegExp(condition)) return matches(name, condition);
  if (typeof condition !== "object" || types.isDate(condition)) return comparison(name, "eq", condition);
  const limits = Object.entries(condition as Record<string, unknown>);
  if (limits.length === 0) throw invalidCondition(name, condition);
  return limits.map(([limit, value]) => limitOf(name, limit, value)).reduce((left, right) => left.and(right));
}

function limitOf(name: string, key: string, value: unknown): PolarsExpr {
  const limit = ALIASES[key] ?? key;
  if (limit === "not") return value === null ? pl.col(name).isNotNull() : conditionOf(name, value).not();
  if (!LIMITS.includes(limit)) {
    const hint = `Give one of ${quotedList(LIMITS)}; a list for one of several values; a regular expression for a part of a text.`;
    throw invalid(`limit of ${name}`, key, `${hint}${didYouMean(key, LIMITS)}`);
  }
  if (typeof value === "boolean") throw invalidCondition(name, value);
  if (limit !== "from" && limit !== "until") return comparison(name, limit as Comparison, value);
  const range = rangeOf(value);
  if (range === undefined) throw notDate(`${name}.${limit}`, value);
  return inRange(timesOf(name), limit === "from" ? "gtEq" : "ltEq", range);
}

function anyOf(name: string, list: readonly unknown[]): PolarsExpr {
  const values = list.filter((value) => value !== null);
  const type = typeof values[0];
  if (list.length === 0 || values.some((value) => typeof value !== type)) throw invalidCondition(name, list);
  const isText = type === "string" && !TIMESTAMPS.has(name) && values.every((value) => rangeOf(value) === undefined);
  const parts =
    isText || values.every(Number.isSafeInteger)
      ? [pl.col(name).isIn(values as string[])]
      : values.map((value) => comparison(name, "eq", value));
  if (values.length < list.length) parts.push(pl.col(name).isNull());
  return any(parts);
}

/** Combines in pairs, because polars limits the depth of an expression. */
function any(parts: readonly PolarsExpr[]): PolarsExpr {
  const half = parts.length >> 1;
  return half === 0 ? (parts[0] as PolarsExpr) : any(parts.slice(0, half)).or(any(parts.slice(half)));
}

/** The timestamp columns of all operations. */
const TIMESTAMPS = new Set(
  Object.values(operations).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([name, type]) => (type === "datetime" ? [name] : [])),
  ),
);

type Comparison = "eq" | "gt" | "gtEq" | "lt" | "ltEq";

function comparison(name: string, op: Comparison, value: unknown): PolarsExpr {
  const cells = pl.col(name);
  const range = rangeOf(value);
  if (range !== undefined) {
    // A column of unknown type may hold text that looks like a date.
    const isAmbiguous = op === "eq" && typeof value === "string" && !TIMESTAMPS.has(name);
    return isAmbiguous ? equalText(cells, value, range) : inRange(timesOf(name), op, range);
  }
  if (types.isDate(value) || TIMESTAMPS.has(name)) throw notDate(name, value);
  if (typeof value === "string" || typeof value === "boolean") return cells[op as "eq"](pl.lit(value));
  if (typeof value !== "bigint" && !Number.isFinite(value)) throw invalidCondition(name, value);
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < 2 ** 63;
  if (typeof value !== "bigint" && !isLarge) return cells[op as "eq"](pl.lit(value));
  const integer = BigInt(value as bigint);
  if (BigInt.asIntN(64, integer) !== integer) throw invalid(name, value, "Give an integer of 64 bits.");
  return cells[op as "eq"](integerLiteral(integer) as never);
}

/** Equal text, or a time within the range. Only times cast to both an integer and a time: text like "2024" does not cast to a time. */
function equalText(cells: PolarsExpr, text: string, range: Range): PolarsExpr {
  const isInteger = cells.cast(pl.Int64, false).isNotNull();
  const times = cells.cast(TIMESTAMP, false);
  return cells
    .cast(pl.Utf8)
    .eq(pl.lit(text))
    .or(isInteger.and(times.isNotNull()).and(inRange(times, "eq", range)));
}

/** The cells of a time column, in UTC. Adding a duration of zero fails for other columns; a cast would take numbers for microseconds. */
function timesOf(name: string): PolarsExpr {
  return pl.col(name).add(ZERO_DURATION).cast(TIMESTAMP);
}

const ZERO_DURATION = pl.lit(0).cast(pl.Duration("us"));

/** Compares times with a day, month, year or time. */
function inRange(times: PolarsExpr, op: Comparison, range: Range): PolarsExpr {
  const [begin, end] = range.map((date) => pl.lit(date).cast(TIMESTAMP)) as [PolarsExpr, PolarsExpr];
  if (op === "eq") return times.gtEq(begin).and(times.lt(end));
  if (op === "gt" || op === "gtEq") return times.gtEq(op === "gt" ? end : begin);
  return times.lt(op === "lt" ? begin : end);
}

/** A match of a regular expression, in the syntax of polars. */
function matches(name: string, { source, flags }: RegExp): PolarsExpr {
  const modes = flags.replace(/[^ims]/g, "");
  const expression = pl.col(name).str.contains(pl.lit(modes === "" ? source : `(?${modes})${source}`) as never);
  try {
    pl.Series(name, ["text"]).toFrame().filter(expression);
  } catch (cause) {
    throw faulty(name, `/${source}/${flags}`, "polars has no lookaround and no backreferences: leave them out.", cause);
  }
  return expression;
}

function notDate(name: string, value: unknown): ValidationError {
  return invalid(name, value, 'Give a date, for example "2022-08-16".');
}

function invalidCondition(name: string, value: unknown): ValidationError {
  const hint = "Give a value, a list of values of one type, null, a regular expression, or limits";
  return invalid(name, value, `${hint}, for example ${name}: { gt: 60 }.`);
}

/** The first millisecond of a day, month, year or time, and the first after it. */
export type Range = readonly [begin: Date, end: Date];

const DAY_PARTS = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The range of a date or time; undefined for anything else. */
export function rangeOf(value: unknown): Range | undefined {
  if (types.isDate(value)) return millisecondRange(value.getTime());
  if (typeof value !== "string") return undefined;
  const [text, zone] = TIME.exec(value) ?? [];
  if (text !== undefined) return millisecondRange(Date.parse(zone === undefined ? `${text.replace(" ", "T")}Z` : text));
  const [, year, month, day] = DAY_PARTS.exec(value) ?? [];
  if (year === undefined) return undefined;
  // Date.UTC would take the year 24 for 1924.
  const begin = new Date(`${year}-${month ?? "01"}-${day ?? "01"}T00:00:00Z`);
  if (Number.isNaN(begin.getTime()) || begin.getUTCDate() !== Number(day ?? 1)) return undefined;
  const end = new Date(begin);
  if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1);
  else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCFullYear(end.getUTCFullYear() + 1);
  return [begin, end];
}

function millisecondRange(time: number): Range | undefined {
  return Number.isNaN(time) ? undefined : [new Date(time), new Date(time + 1)];
}

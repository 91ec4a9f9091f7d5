import { types } from "node:util";
import { ValidationError } from "../errors/index.js";
import { faulty, invalid, nearest, oneOf, show } from "../errors/validators.js";
import { operations } from "../service/operations/operations.js";
import { isObject } from "../util/isObject.js";
import { quotedList } from "../util/quoted.js";
import { isPolarsFrame } from "./engine.js";
import { type LazyFrame, type PolarsExpr, type PolarsFrame, pl } from "./polars.js";
import { columnsOfType, integerLiteral } from "./polarsPlan.js";

/** A value of a cell; null for a row without one. */
type Cell = string | number | bigint | boolean | Date | null;

/** Limits of a value. `from` and `until` take dates, and include all of the last day, month or year: `{ from: "2022-08", until: "2022" }`. */
export interface Limits {
  /** Greater than this. */
  readonly gt?: Exclude<Cell, null | boolean>;
  /** Greater than this, or equal. */
  readonly gtEq?: Exclude<Cell, null | boolean>;
  /** Less than this. */
  readonly lt?: Exclude<Cell, null | boolean>;
  /** Less than this, or equal. */
  readonly ltEq?: Exclude<Cell, null | boolean>;
  /** On this day or later, or at this time or later. */
  readonly from?: string | Date;
  /** On this day or earlier, the whole day included, or at this time or earlier. */
  readonly until?: string | Date;
  /** Anything that the value is not: `{ not: null }`, `{ not: ["CA", "TX"] }`. Rows without a value pass only a `not` of null. */
  readonly not?: Cell | readonly Cell[] | RegExp;
}

/** What the value of a column has to be: a value, one of several, a match of a regular expression, or within limits. */
export type Condition = Cell | readonly Cell[] | RegExp | Limits;

/** Conditions by column. */
export type Conditions<R extends object = Record<string, unknown>> = { readonly [K in keyof R]?: Condition };

const LIMITS = ["gt", "gtEq", "lt", "ltEq", "not"];
const TIME_LIMITS = new Set(["from", "until"]);
/** Names of limits, here and elsewhere. Where a column would be, the column was forgotten. */
const CONDITIONS = /^(?:from|until|to|gt|gte|gtEq|lt|lte|ltEq|eq|in|not)$/;

/** Makes the expression for a frame whose columns are of these kinds; without them, for what the names and values suggest. */
type Build = (kinds?: ReadonlyMap<string, ColumnKind>) => PolarsExpr;

const KEY = Symbol.for("archive-frames.where");
const shared = globalThis as { [KEY]?: WeakMap<object, Build> };
shared[KEY] ??= new WeakMap();
/** How to make the expressions of `where` again, once their frame is known. Shared, because one copy of this package binds those of all. */
const builds = shared[KEY];

/**
 * A polars expression that is true for rows that meet all conditions, for `filter` of frames, lazy frames and scans. Words, numbers and dates
 * mean what they look like: no `pl.lit`, no cast. Rows without a value meet no condition but null.
 *
 * A timestamp, or a date, equals a date if it is on that day (UTC). Integers are compared exactly, bigint included. A value of another type
 * than its column is refused. On a scan, limits of `begintime` and an equal `personid` go to the service, as `explain` shows.
 *
 * @typeParam R the type of a row, to check names: `where<FrameRow<"mentions">>({…})`
 * @param conditions by column: a value, a list of values, null, a regular expression (without lookaround or backreferences), or limits
 * @throws ValidationError for anything else; `filter` throws for a column that the frame does not have, or has with another type
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 500 });
 * const long = where({ length: { gt: 60 }, begintime: { from: "2024-03", until: "2024-06-15" }, personid: { not: 999999 } });
 * frame.filter(long).height < frame.height; //=> true
 * frame.filter(where({ text: /carbon (tax|price)/i, person: { not: null }, length: [30, 60] }));
 */
export function where<R extends object = Record<string, unknown>>(conditions: Conditions<R>): PolarsExpr {
  if (isPolarsFrame(conditions))
    throw faulty(
      "conditions",
      "they are a frame",
      'Give the conditions to its filter: frame.filter(where({ party: "Democrat" })).',
    );
  const entries = isObject(conditions) ? Object.entries(conditions as Record<string, unknown>) : [];
  if (entries.length === 0) {
    throw invalid("conditions", conditions, 'Give columns and their values, for example where({ party: "Democrat" }).');
  }
  const conditionsOf: Build = (kinds) =>
    all(entries.map(([name, condition]) => conditionOf({ name, kind: kindOf(name, kinds) }, condition)));
  const made = built(conditionsOf);
  wheres.set(made, conditions as Conditions);
  return made;
}

/** An expression that can be made again, alone and within others. */
function built(build: Build): PolarsExpr {
  const result = build();
  const { and, or, not } = result;
  builds.set(result, build);
  return Object.assign(result, {
    and: (other: PolarsExpr) =>
      built((kinds) => (kinds === undefined ? and(other) : build(kinds).and(forKinds(other, kinds)))),
    or: (other: PolarsExpr) =>
      built((kinds) => (kinds === undefined ? or(other) : build(kinds).or(forKinds(other, kinds)))),
    not: () => built((kinds) => (kinds === undefined ? not() : build(kinds).not())),
  });
}

function forKinds(expr: PolarsExpr, kinds: ReadonlyMap<string, ColumnKind>): PolarsExpr {
  return builds.get(expr)?.(kinds) ?? expr;
}

/**
 * Makes expressions of {@link where} among the arguments of a verb compare as the columns of its frame do.
 *
 * @throws ValidationError for a column that the frame does not have, and for a value of another type
 */
export function bindWhere(args: unknown[], frame: PolarsFrame | LazyFrame): void {
  for (const [at, arg] of args.entries()) {
    const build = isObject(arg) ? builds.get(arg) : undefined;
    if (build !== undefined) args[at] = build(columnKinds(frame));
  }
}

/** The columns that hold timestamps in the rows of any operation. */
const TIMESTAMPS = new Set(
  Object.values(operations).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([name, type]) => (type === "datetime" ? [name] : [])),
  ),
);

/** A column, and what it holds; undefined if that is unknown. */
interface Column {
  readonly name: string;
  readonly kind: ColumnKind | undefined;
}

function kindOf(name: string, kinds: ReadonlyMap<string, ColumnKind> | undefined): ColumnKind | undefined {
  if (kinds === undefined) return TIMESTAMPS.has(name) ? "utc" : undefined;
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  if (!CONDITIONS.test(name)) throw unknownColumn(name, [...kinds.keys()]);
  throw new ValidationError(`invalid column: ${show(name)}.`, {
    hint: 'Conditions belong to a column: where({ begintime: { from: "2024-01", until: "2024-06" } }).',
    parameter: name,
  });
}

function conditionOf(column: Column, condition: unknown): PolarsExpr {
  const { name } = column;
  if (condition === null) return pl.col(name).isNull();
  if (Array.isArray(condition)) return anyOf(column, condition);
  // Not by class: a cell of a notebook may have other classes Date and RegExp.
  if (types.isRegExp(condition)) return matches(column, condition);
  if (typeof condition !== "object" || types.isDate(condition)) return compared(column, "eq", condition);
  const limits = Object.entries(condition as Record<string, unknown>);
  if (limits.length === 0) throw refused(name, condition);
  return all(limits.map(([limit, value]) => limited(column, limit, value)));
}

function limited(column: Column, limit: string, value: unknown): PolarsExpr {
  const { name } = column;
  if (limit === "not") return value === null ? pl.col(name).isNotNull() : conditionOf(column, value).not();
  oneOf(`limit of ${name}`, limit, [...LIMITS, ...TIME_LIMITS]);
  if (typeof value === "boolean") throw refused(name, value);
  if (!TIME_LIMITS.has(limit)) return compared(column, limit as Comparison, value, name);
  if (rangeOf(value) === undefined) throw notDate(`${name}.${limit}`, value);
  const kind = column.kind ?? "utc";
  if (kind !== "utc" && kind !== "time" && kind !== "null") throw otherType(column, value, "a time");
  return compared({ name, kind }, limit === "from" ? "gtEq" : "ltEq", value);
}

function anyOf(column: Column, values: readonly unknown[]): PolarsExpr {
  const given = values.filter((value) => value !== null);
  const type = typeof given[0];
  if (values.length === 0 || given.some((value) => typeof value !== type)) throw refused(column.name, values);
  const { kind = type === "string" ? "text" : "integer" } = column;
  const isPlain =
    (type === "string" && kind === "text") ||
    (/^(?:integer|unsigned|number)$/.test(kind) && given.every(Number.isSafeInteger));
  const parts = isPlain
    ? [pl.col(column.name).isIn(given as string[])]
    : given.map((value) => compared(column, "eq", value));
  if (given.length < values.length) parts.push(pl.col(column.name).isNull());
  return any(parts);
}

/** In pairs, because polars limits how deep an expression is. */
function any(parts: readonly PolarsExpr[]): PolarsExpr {
  const half = parts.length >> 1;
  return half === 0 ? (parts[0] as PolarsExpr) : any(parts.slice(0, half)).or(any(parts.slice(half)));
}

type Comparison = "eq" | "gt" | "gtEq" | "lt" | "ltEq";

function compared(column: Column, op: Comparison, value: unknown, given = column.name): PolarsExpr {
  const type = types.isDate(value) ? "time" : typeof value;
  const range = type === "time" || (type === "string" && !isText(column, op)) ? rangeOf(value) : undefined;
  const { name, kind = range !== undefined ? "utc" : undefined } = column;
  const cells = pl.col(name);
  if (type === "time" && range === undefined) throw notDate(given, value);
  if (!/^(?:string|bigint|boolean|time)$/.test(type) && !Number.isFinite(value)) throw refused(name, value);
  // No row has a value.
  if (kind === "null") return cells.eq(cells);
  if (kind === "utc" || kind === "time") {
    if (type !== "string" && type !== "time") throw otherType(column, value);
    if (range === undefined) throw notDate(given, value);
    return inRange(kind === "utc" ? cells : cells.cast(pl.Datetime("us", "UTC")), op, range);
  }
  if (kind !== undefined && !KINDS[type]?.includes(kind)) throw otherType(column, value);
  const isExact = type === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value));
  if (isExact && kind !== "number") return comparedExactly(cells, kind, op, BigInt(value as bigint));
  return cells[op as "eq"](pl.lit(type === "bigint" ? Number(value) : value));
}

/** The kinds of columns that hold values of a type. */
const KINDS: Readonly<Record<string, readonly ColumnKind[]>> = {
  string: ["text"],
  number: ["integer", "unsigned", "number"],
  bigint: ["integer", "unsigned", "number"],
  boolean: ["boolean"],
};

/** Whether a text is compared as text where it could be a date, too. Nobody sorts texts by year. */
function isText({ kind }: Column, op: Comparison): boolean {
  return kind === undefined ? op === "eq" : kind === "text";
}

const [SIGNED, UNSIGNED] = [2n ** 63n, 2n ** 64n];

function comparedExactly(cells: PolarsExpr, kind: ColumnKind | undefined, op: Comparison, value: bigint): PolarsExpr {
  const isBelow = value < (kind === "unsigned" ? 0n : -SIGNED);
  if (!isBelow && value < (kind === "integer" ? SIGNED : UNSIGNED))
    return cells[op as "eq"](integerLiteral(value) as never);
  // True or false for all rows with a value.
  return op !== "eq" && isBelow === op.startsWith("gt") ? cells.eq(cells) : cells.neq(cells);
}

/** Whether times are within a day, month, year or moment, before or after it. A day ends when the next one begins. */
function inRange(cells: PolarsExpr, op: Comparison, range: readonly [begin: Date, end: Date]): PolarsExpr {
  const [begin, end] = range.map((date) => pl.lit(date).cast(pl.Datetime("us", "UTC"))) as [PolarsExpr, PolarsExpr];
  if (op === "eq") return cells.gtEq(begin).and(cells.lt(end));
  if (op === "gt" || op === "gtEq") return cells.gtEq(op === "gt" ? end : begin);
  return cells.lt(op === "lt" ? begin : end);
}

/** A regular expression as polars spells it. */
function matches(column: Column, { source, flags }: RegExp): PolarsExpr {
  const { name, kind = "text" } = column;
  if (kind === "null") return pl.col(name).eq(pl.col(name));
  if (kind !== "text") throw otherType(column, "…", "a regular expression, which needs text");
  const known = flags.replace(/[^ims]/g, "");
  const expression = pl.col(name).str.contains(pl.lit(known === "" ? source : `(?${known})${source}`) as never);
  try {
    pl.Series(name, ["text"]).toFrame().filter(expression);
  } catch (cause) {
    throw faulty(name, `/${source}/${flags}`, "polars has no lookaround and no backreferences: leave them out.", cause);
  }
  return expression;
}

function all(parts: readonly PolarsExpr[]): PolarsExpr {
  return parts.reduce((left, right) => left.and(right));
}

function otherType(
  { name, kind = "other" }: Column,
  value: unknown,
  what = WORDS[typeof value] ?? "a time",
): ValidationError {
  const [holds, example] = KIND_WORDS[kind];
  const typed = kind === "text" ? show(String(value)) : example;
  return invalid(name, value, `The column holds ${holds}, and this is ${what}: type ${name}: ${typed}.`);
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text (String)",
  number: "a number",
  bigint: "an integer (bigint)",
  boolean: "true or false (Bool)",
};

function notDate(name: string, value: unknown): ValidationError {
  return invalid(name, value, 'Give a date, for example "2022-08-16".');
}

function refused(name: string, value: unknown): ValidationError {
  return invalid(
    name,
    value,
    `Give a value, a list of values of one type, null, a regular expression, or limits, for example ${name}: { gt: 60 }.`,
  );
}

/** The error for a column that does not exist, with the nearest one, or all that there are. */
export function unknownColumn(name: string, columns: readonly string[]): ValidationError {
  if (name === "videotype" && columns.includes("videoTypeId")) {
    return new ValidationError('invalid column: "videotype". Rows of mentions have numbers.', {
      hint: 'Search with videotype: "Speech" instead, or type the number that rows have, for example videoTypeId: 18 for debates.',
      parameter: name,
    });
  }
  const near = nearest(name, columns);
  return new ValidationError(`invalid column: ${show(name)}.`, {
    hint: near === undefined ? `The columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`,
    parameter: name,
  });
}

/** What a column holds, as far as conditions are concerned. "utc": times in UTC with microseconds, as all of ours; "null": nothing. */
type ColumnKind = "text" | "integer" | "unsigned" | "number" | "boolean" | "utc" | "time" | "null" | "other";

const KIND_WORDS: Readonly<Record<ColumnKind, readonly [name: string, example: string]>> = {
  text: ["text (String)", '"text"'],
  integer: ["integers (Int)", "60"],
  unsigned: ["integers (UInt)", "60"],
  number: ["numbers (Float)", "0.5"],
  boolean: ["true or false (Bool)", "true"],
  utc: ["times (Datetime)", '"2022-08-16"'],
  time: ["times (Datetime or Date)", '"2022-08-16"'],
  null: ["nothing (Null)", "null"],
  other: ["lists or other nested values", "null"],
};

/** The kind of each column of a frame, which is not run for that. */
function columnKinds(frame: PolarsFrame | LazyFrame): ReadonlyMap<string, ColumnKind> {
  if (frame[Symbol.toStringTag as never] === "LazyDataFrame") return lazyKinds(frame as LazyFrame);
  const { columns, dtypes } = frame as PolarsFrame;
  return new Map(dtypes.map((dtype, at) => [columns[at] as string, dtypeKind(dtype)]));
}

function dtypeKind(dtype: PolarsFrame["dtypes"][number]): ColumnKind {
  const { variant } = dtype;
  if (/^(?:String|Utf8|Categorical|Enum)$/.test(variant)) return "text";
  if (/^U?Int/.test(variant)) return variant.startsWith("U") ? "unsigned" : "integer";
  if (/^(?:Float|Decimal)/.test(variant)) return "number";
  const { timeUnit, timeZone } = dtype as { readonly timeUnit?: string; readonly timeZone?: string };
  if (variant === "Datetime") return timeUnit === "us" && timeZone === "UTC" ? "utc" : "time";
  return ({ Bool: "boolean", Date: "time", Null: "null" } as const)[variant as "Bool"] ?? "other";
}

/** Later ones count. */
const SELECTORS: ReadonlyArray<readonly [ColumnKind, unknown]> = [
  ["text", { AnyOf: ["String"] }],
  ["text", "Categorical"],
  ["text", "Enum"],
  ["number", "Numeric"],
  ["integer", "SignedInteger"],
  ["unsigned", "UnsignedInteger"],
  ["boolean", { AnyOf: ["Boolean"] }],
  ["null", { AnyOf: ["Null"] }],
  ["time", "Temporal"],
  ["other", { AnyOf: ["Time"] }],
  ["utc", { AnyOf: [{ Datetime: ["Microseconds", { inner: "UTC" }] }] }],
];

function lazyKinds(frame: LazyFrame): ReadonlyMap<string, ColumnKind> {
  const kinds = new Map<string, ColumnKind>(frame.columns.map((name) => [name, "other"]));
  for (const [kind, type] of SELECTORS) for (const name of columnsOfType(frame, type)) kinds.set(name, kind);
  return kinds;
}

const DAY_PARTS = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The first moment of a date or time, and the first after it; undefined for anything else. */
export function rangeOf(value: unknown): readonly [begin: Date, end: Date] | undefined {
  if (types.isDate(value)) return instant(value.getTime());
  if (typeof value !== "string") return undefined;
  const [, year, month, day] = DAY_PARTS.exec(value) ?? [];
  if (year === undefined) {
    const [text, zone] = TIMESTAMP.exec(value) ?? [];
    return text === undefined
      ? undefined
      : instant(Date.parse(zone === undefined ? `${text.replace(" ", "T")}Z` : text));
  }
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)];
  const begin = new Date(Date.UTC(y, m - 1, d));
  if (begin.getUTCMonth() !== m - 1) return undefined;
  if (day !== undefined) return [begin, new Date(Date.UTC(y, m - 1, d + 1))];
  return [begin, month === undefined ? new Date(Date.UTC(y + 1, 0, 1)) : new Date(Date.UTC(y, m, 1))];
}

function instant(time: number): readonly [begin: Date, end: Date] | undefined {
  return Number.isNaN(time) ? undefined : [new Date(time), new Date(time + 1)];
}

export function whereOf(expr: PolarsExpr): Conditions | undefined {
  return wheres.get(expr);
}
const wheres = new WeakMap<object, Conditions>();

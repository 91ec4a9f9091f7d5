import { types } from "node:util";
import { ValidationError } from "../errors/index.js";
import { faulty, invalid, nearest, oneOf, show } from "../errors/validators.js";
import { operations } from "../service/operations/operations.js";
import { isObject } from "../util/isObject.js";
import { quotedList } from "../util/quoted.js";
import { VIDEO_TYPES } from "../util/videoTypes.js";
import { type PolarsExpr, pl } from "./polars.js";

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

/** The columns that an expression of `where` names. */
const named = new WeakMap<object, readonly string[]>();

/**
 * A polars expression that is true for rows that meet all conditions, for `filter` of frames, lazy frames and scans. Words, numbers and dates
 * mean what they look like: no `pl.lit`, no cast. Rows without a value meet no condition but null.
 *
 * A timestamp equals a date if it is on that day (UTC). On a scan, limits of `begintime` and an equal `personid` go to the service, as
 * `explain` shows.
 *
 * @typeParam R the type of a row, to check names: `where<FrameRow<"mentions">>({…})`
 * @param conditions by column: a value, a list of values, null, a regular expression (without lookaround or backreferences), or limits
 * @throws ValidationError for anything else; `filter` throws for a column that a frame of this package does not have
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 500 });
 * const long = where({ length: { gt: 60 }, begintime: { from: "2024-03", until: "2024-06-15" }, personid: { not: 999999 } });
 * frame.filter(long).height < frame.height; //=> true
 * frame.filter(where({ text: /carbon (tax|price)/i, person: { not: null }, videoTypeId: [16, 18] }));
 */
export function where<R extends object = Record<string, unknown>>(conditions: Conditions<R>): PolarsExpr {
  const entries = isObject(conditions) ? Object.entries(conditions as Record<string, unknown>) : [];
  if (entries.length === 0) {
    throw invalid("conditions", conditions, 'Give columns and their values, for example where({ party: "Democrat" }).');
  }
  const result = all(entries.map(([name, condition]) => conditionOf(name, condition)));
  named.set(result, Object.keys(conditions));
  return result;
}

/** Checks that a frame has the columns of an expression of {@link where}. */
export function checkWhere(expression: unknown, frame: object): void {
  const names = isObject(expression) ? named.get(expression) : undefined;
  if (names === undefined) return;
  const { columns } = frame as { readonly columns: readonly string[] };
  const missing = names.find((name) => !columns.includes(name));
  if (missing !== undefined) throw unknownColumn(missing, columns);
}

/** The columns that hold timestamps in the rows of any operation. */
const TIMESTAMPS = new Set(
  Object.values(operations).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([name, type]) => (type === "datetime" ? [name] : [])),
  ),
);

function conditionOf(name: string, condition: unknown): PolarsExpr {
  const column = pl.col(name);
  if (condition === null) return column.isNull();
  if (Array.isArray(condition)) return anyOf(name, condition);
  // Not by class: a cell of a notebook may have other classes Date and RegExp.
  if (types.isRegExp(condition)) return matches(name, condition);
  if (typeof condition !== "object" || types.isDate(condition)) return equals(name, condition);
  const limits = Object.entries(condition as Record<string, unknown>);
  if (limits.length === 0) throw refused(name, condition);
  return all(limits.map(([limit, value]) => limited(name, limit, value)));
}

function limited(name: string, limit: string, value: unknown): PolarsExpr {
  const column = pl.col(name);
  if (limit === "not") return value === null ? column.isNotNull() : conditionOf(name, value).not();
  oneOf(`limit of ${name}`, limit, [...LIMITS, ...TIME_LIMITS]);
  const isTime = TIME_LIMITS.has(limit);
  const range = rangeOf(value);
  if (range === undefined) {
    if (isTime) throw notDate(`${name}.${limit}`, value);
    if (typeof value !== "string" && typeof value !== "bigint" && !Number.isFinite(value)) throw refused(name, value);
    return column[limit as "gt"](pl.lit(value));
  }
  // A day, month or year ends when the next one begins.
  const [begin, end] = range.map(utc) as [PolarsExpr, PolarsExpr];
  if (limit === "from" || limit === "gtEq") return column.gtEq(begin);
  if (limit === "until" || limit === "ltEq") return column.lt(end);
  return limit === "gt" ? column.gtEq(end) : column.lt(begin);
}

function anyOf(name: string, values: readonly unknown[]): PolarsExpr {
  const given = values.filter((value) => value !== null);
  const type = typeof given[0];
  if (values.length === 0 || given.some((value) => typeof value !== type)) throw refused(name, values);
  const isPlain = (type === "string" && !TIMESTAMPS.has(name)) || (type === "number" && given.every(Number.isFinite));
  const parts = isPlain ? [pl.col(name).isIn(given as string[])] : given.map((value) => equals(name, value));
  if (given.length < values.length) parts.push(pl.col(name).isNull());
  return parts.reduce((left, right) => left.or(right));
}

function equals(name: string, value: unknown): PolarsExpr {
  const column = pl.col(name);
  const range = types.isDate(value) || TIMESTAMPS.has(name) ? rangeOf(value) : undefined;
  if (range !== undefined) return column.gtEq(utc(range[0])).and(column.lt(utc(range[1])));
  if (TIMESTAMPS.has(name) && typeof value === "string") throw notDate(name, value);
  const isValue = typeof value === "string" || typeof value === "bigint" || typeof value === "boolean";
  if (!isValue && !Number.isFinite(value)) throw refused(name, value);
  return column.eq(pl.lit(value));
}

/** A regular expression as polars spells it. */
function matches(name: string, { source, flags }: RegExp): PolarsExpr {
  const known = flags.replace(/[^ims]/g, "");
  const expression = pl.col(name).str.contains(pl.lit(known === "" ? source : `(?${known})${source}`) as never);
  try {
    pl.Series(name, ["text"]).toFrame().filter(expression);
  } catch (cause) {
    throw faulty(name, `/${source}/${flags}`, "polars has no lookaround and no backreferences: leave them out.", cause);
  }
  return expression;
}

const DAY_PARTS = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The first moment of a date or time, and the first after it; undefined for anything else. */
function rangeOf(value: unknown): readonly [begin: Date, end: Date] | undefined {
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

function utc(date: Date): PolarsExpr {
  return pl.lit(date).cast(pl.Datetime("us", "UTC"));
}

function all(parts: readonly PolarsExpr[]): PolarsExpr {
  return parts.reduce((left, right) => left.and(right));
}

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
    const { Speech, Debate } = VIDEO_TYPES;
    return new ValidationError('invalid column: "videotype". Rows of mentions have numbers.', {
      hint: `Type videoTypeId: ${Speech} for speeches and ${Debate} for debates, search with videotype: "Speech", or add the column with withPrograms.`,
      parameter: name,
    });
  }
  const near = nearest(name, columns);
  return new ValidationError(`invalid column: ${show(name)}.`, {
    hint: near === undefined ? `The columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`,
    parameter: name,
  });
}

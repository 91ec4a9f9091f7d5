import { ValidationError } from "../../errors/index.js";
import { invalid, nonEmptyText, positiveInteger, show } from "../../errors/validators.js";

/** A parameter of an operation: how it is checked, and how it reads in the reference. */
export interface Parameter<T> {
  readonly type: string;
  readonly required: boolean;
  readonly note: string;
  /** The text for the wire. Throws a {@link ValidationError} that says what would be right. */
  readonly check: (name: string, value: unknown, unchecked?: boolean) => string;
  /** Carries the TypeScript type; never there at run time. */
  readonly value?: T;
}

function parameter<T>(type: string, note: string, check: Parameter<T>["check"], required = false): Parameter<T> {
  return { type, note, check, required };
}

/** Any text that is not empty. */
export function text(note: string, example: string): Parameter<string> {
  return parameter("string", note, (name, value) => nonEmptyText(name, value, example));
}

/** The same parameter, which has to be given. */
export function required<T>(base: Parameter<T>): Parameter<T> & { readonly required: true } {
  return { ...base, required: true };
}

/** A whole number from 1. */
export function count(note: string, example: number): Parameter<number> {
  return parameter("number", note, (name, value) => String(positiveInteger(name, value, example)));
}

/** An id: a whole number from 1, or text. */
export function id(note: string, example: number): Parameter<number | string> {
  return parameter("number | string", note, (name, value) => checkId(name, value, example));
}

function checkId(name: string, value: unknown, example: number): string {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return String(value);
  // "." and ".." would be taken for steps in the path of the URL, and half of a surrogate pair has no place in one.
  if (typeof value === "string" && /[^\s.]/.test(value) && !/\p{Surrogate}/u.test(value)) return value.trim();
  throw invalid(name, value, `Give the id of a search result, for example ${example}.`);
}

/** Ends the hint of a refusal that only says what the service does today. */
const UNCHECKED = "If the service takes it by now, send it with { unchecked: true }.";

/** The numeric id of a program; its public id is known to be refused by the service. */
export function programId(note: string): Parameter<number | string> {
  return parameter("number | string", note, (name, value, unchecked) => {
    const given = checkId(name, value, 683870);
    if (unchecked || /^\d+$/.test(given)) return given;
    throw invalid(
      name,
      value,
      /^\d+-\d+$/.test(given)
        ? 'That is a public id, which the service refuses. Give the numeric id: the "id" of a row of programsSearch(…), or the "programid" of a mention. ' +
            UNCHECKED
        : "Give the numeric id of a program, for example 683870.",
    );
  });
}

/** A day that exists, yyyy-mm-dd. */
export function date(note: string): Parameter<string> {
  return parameter("string, yyyy-mm-dd", note, (name, value) => {
    if (typeof value === "string" && isDay(value)) return value;
    const exists = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? "There is no such day. " : "";
    throw invalid(name, value, `${exists}Give a day as yyyy-mm-dd, for example ${name}: "2024-02-29".`);
  });
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

const SORTS = ["popular", "date"];
const DIRECTIONS = ["asc", "desc"];

/** A key that programs are sorted by, and a direction. */
export type SortTerm = "date desc" | "date asc" | "popular desc" | "popular asc";

/** What programs are sorted by: a term, or two, of which the second one orders what is equal by the first. */
export type ProgramSort = SortTerm | `${SortTerm},${SortTerm}` | `${SortTerm}, ${SortTerm}`;

/** `popular` or `date` with a direction, or both, separated by a comma. */
export function sort(note: string): Parameter<ProgramSort> {
  return parameter(
    '"date desc", "date asc", "popular desc", "popular asc", or two of them with a comma',
    note,
    (name, value) => {
      const terms = typeof value === "string" ? value.toLowerCase().split(",") : [""];
      const seen = new Set<string>();
      const checked = terms.map((term) => {
        const [key = "", direction, ...rest] = term.trim().split(/\s+/);
        const known = SORTS.includes(key);
        const isRight = known && direction !== undefined && DIRECTIONS.includes(direction) && rest.length === 0;
        if (isRight && !seen.has(key)) {
          seen.add(key);
          return `${key} ${direction}`;
        }
        const missing = known && direction === undefined ? "The direction is missing. " : "";
        const twice = seen.has(key) ? `Sorted by ${key} twice. ` : missing;
        throw invalid(
          name,
          value,
          `${known ? twice : "Programs are sorted by popular or date. "}Give a key and a direction, for example ${name}: ${show(known ? `${key} desc` : "date desc")}.`,
        );
      });
      return checked.join(",");
    },
  );
}

const QUOTED = /"(?:[^"\\]|\\.|\\$)*("|$)/gs;
const DATE_TOKEN = /(?<![\w\\])date\s*:\s*[[{(]?|[[\]{})]|(?<=\s)TO(?=\s)/gi;

/** Whether a query has a date field with a bracketed range, also in a group of the field: date:[2024 TO 2025], date:(x OR {a TO b]). */
function hasDateRange(query: string): boolean {
  // A quotation mark without a partner quotes nothing.
  const unquoted = query.replace(QUOTED, (text, end: string) => (end === "" ? text : '""'));
  let inGroup = false;
  let inRange = false;
  for (const [token] of unquoted.matchAll(DATE_TOKEN)) {
    const last = token.at(-1);
    if (last === "[" || last === "{") inRange ||= inGroup || token.length > 1;
    else if (last === "]" || last === "}") inRange = false;
    else if (last === "(") inGroup = true;
    else if (last === ")") inGroup &&= inRange;
    else if (inRange && token.length === 2) return true;
  }
  return false;
}

/** A Lucene query. A range of dates is known to fail at the service with HTTP 500, so it is refused here. */
export function lucene(note: string): Parameter<string> {
  return parameter("string (Lucene)", note, (name, value, unchecked) => {
    const query = nonEmptyText(name, value, "text:climate AND category:Senate");
    if (unchecked || !hasDateRange(query)) return query;
    throw invalid(
      name,
      value,
      'The service fails on ranges of dates. Leave the range out, give sort: "date desc" and filter the frame by its date column; or use mentions with mindate and maxdate. ' +
        UNCHECKED,
    );
  });
}

/** Refuses a window of dates that ends before it begins. */
export function checkWindow(values: ReadonlyMap<string, string>): void {
  const from = values.get("mindate");
  const to = values.get("maxdate");
  if (from === undefined || to === undefined || from <= to) return;
  throw new ValidationError(`invalid mindate: ${show(from)} is after maxdate ${show(to)}.`, {
    hint: `Give the earlier day as mindate, for example mindate: ${show(to)}, maxdate: ${show(from)}.`,
    parameter: "mindate",
  });
}

import { checkCongress, invalid, nonEmptyString, positiveInteger } from "../../errors/validators.js";
import { congressDates } from "../../util/congress.js";

/** A parameter of an operation: its check, and its line in the command-line help and the API reference. */
export interface Parameter<T, R extends boolean = boolean> {
  /** Its type, as the reference writes it. */
  readonly type: string;
  /** Whether a call without it is refused. */
  readonly required: R;
  /** What it is, in a few words: the beginning of its comment in `operations.ts`. */
  readonly note: string;
  /** Returns the value for the query string. Throws a {@link ValidationError} for an invalid one. */
  readonly check: (name: string, value: unknown, unchecked?: boolean) => string;
  /** Carries the type of the value for the compiler; absent at run time. */
  readonly value?: T;
}

type Check = Parameter<unknown>["check"];

/** A sort key of programs and its direction. */
type SortTerm = "date desc" | "date asc" | "popular desc" | "popular asc";

/** The order of programs; a second term breaks ties of the first. */
export type ProgramSort = SortTerm | `${SortTerm},${SortTerm}` | `${SortTerm}, ${SortTerm}`;

function parameter<T>(type: string, note: string, check: Check): Parameter<T, false> {
  return { type, note, check, required: false };
}

/** Any non-empty string. */
export function text(note: string, example: string): Parameter<string, false> {
  return parameter("string", note, (name, value) => nonEmptyString(name, value, example));
}

/** Words to search for, a phrase of them in double quotes. */
export function words(note: string, example: string): Parameter<string, false> {
  return parameter("string", note, (name, value, unchecked) => {
    const text = nonEmptyString(name, value, example);
    return unchecked ? text : checkQuotes(name, text);
  });
}

export function required<T>(base: Parameter<T>): Parameter<T, true> {
  return { ...base, required: true };
}

export function count(note: string, example: number): Parameter<number, false> {
  return parameter("number", note, (name, value) => String(positiveInteger(name, value, example)));
}

/** An id: a positive integer or a string. */
export function id(note: string, example: number): Parameter<number | string, false> {
  return parameter("number | string", note, (name, value) => checkId(name, value, example));
}

function checkId(name: string, value: unknown, example: number): string {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return String(value);
  // "." and ".." would change the path of the URL; a lone surrogate cannot be encoded in one.
  if (typeof value === "string" && /[^\s.]/.test(value) && !/\p{Surrogate}/u.test(value)) return value.trim();
  throw invalid(name, value, `Give the id of a search result, for example ${example}.`);
}

/** Ends hints about limits of the service, which may be lifted. */
const UNCHECKED = "To send it anyway, set { unchecked: true }.";

/** The numeric id of a program. The service refuses public ids. */
export function programId(note: string): Parameter<number | string, false> {
  return parameter("number | string", note, (name, value, unchecked) => {
    const checked = checkId(name, value, 683870);
    if (unchecked || /^\d+$/.test(checked)) return checked;
    const hint = /^\d+-\d+$/.test(checked)
      ? `The service refuses public ids. Give the numeric id: the "id" of a row of programsSearch(…), or the "programid" of a mention. ${UNCHECKED}`
      : "Give the numeric id of a program, for example 683870.";
    throw invalid(name, value, hint);
  });
}

/** An existing day, yyyy-mm-dd. */
export function date(note: string): Parameter<string, false> {
  return parameter("string, yyyy-mm-dd", note, (name, value) => {
    const hasDateForm = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
    const day = new Date(hasDateForm ? `${value}T00:00:00Z` : Number.NaN);
    if (hasDateForm && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)) return value;
    const problem = hasDateForm ? "This day does not exist. " : "";
    throw invalid(name, value, `${problem}Give a day as yyyy-mm-dd, for example ${name}: "2024-02-29".`);
  });
}

/** The number of a Congress, or its ordinal. */
export function congress(note: string): Parameter<number | string, false> {
  return parameter('number, or "117th"', note, (_name, value) => String(checkCongress(value)));
}

/** The parameters with the first and last day of a Congress in its place: the service knows days only. */
export function withCongressDates(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { congress, ...others } = parameters;
  const dates = congressDates(checkCongress(congress));
  if (["date", "mindate", "maxdate"].every((name) => others[name] == null)) return { ...others, ...dates };
  throw invalid("congress", congress, `Give either congress or ${others.date ? "date" : "mindate and maxdate"}.`);
}

const SORT = /^(popular|date) (asc|desc)(?:,(?!\1)(popular|date) (asc|desc))?$/;

/** `popular` or `date` with a direction, or both of them, separated by a comma. */
export function sort(note: string): Parameter<ProgramSort, false> {
  const type = '"date desc", "date asc", "popular desc", "popular asc", or two of them, separated by a comma';
  return parameter(type, note, (name, value) => {
    const terms = String(value).trim().toLowerCase().replace(/\s+/g, " ").replace(/ ?, ?/, ",");
    if (SORT.test(terms)) return terms;
    throw invalid(name, value, `Give popular or date with a direction, each once, for example ${name}: "date desc".`);
  });
}

/** A Lucene query. The service responds to a date range with HTTP 500, so it is refused here. */
export function lucene(note: string): Parameter<string, false> {
  return parameter("string (Lucene)", note, (name, value, unchecked) => {
    const query = nonEmptyString(name, value, "text:climate AND category:Senate");
    if (unchecked) return query;
    if (!DATE_RANGE.test(query.replace(/"[^"]*"/g, '""'))) return checkQuotes(name, query);
    const instead = 'Set sort: "date desc" and filter the rows by date, or search mentions with mindate and maxdate.';
    throw invalid(name, value, `The service fails on date ranges. ${instead} ${UNCHECKED}`);
  });
}

/** A range in the field itself or in a group: `date:[2024 TO 2025]`, `date:(2023 OR {2024 TO *])`. */
const DATE_RANGE = /(?<!\w)date\s*:\s*(\([^):]*)?[[{]/i;

/** Typographic quotation marks, which do not delimit a phrase. */
export const TYPOGRAPHIC = /[“”„«»]/u;

/** Refuses quotation marks that do not delimit a phrase: the service would search for single words and return many more rows. */
function checkQuotes(name: string, text: string): string {
  if (!text.includes('"') && !TYPOGRAPHIC.test(text)) return text;
  const parts = text.split('"');
  const isEmpty = parts.some((part, at) => at % 2 === 1 && part.trim() === "");
  if (!TYPOGRAPHIC.test(text) && parts.length % 2 === 1 && !isEmpty) return text;
  const hint = `Put the words of a phrase between two straight double quotes: ${name}: '"climate change"'.`;
  throw invalid(name, text, `${hint} ${UNCHECKED}`);
}

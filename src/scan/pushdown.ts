import type { PolarsFrame } from "../frames/polars.js";
import type { SearchName } from "../service/operations/operations.js";
import type { Comparison } from "./comparisons.js";
import type { Verb } from "./verbs.js";

/** What the service does for a plan. All of it is applied here as well, so it can only save requests. */
export interface Pushdown {
  /** Parameters added to the request. */
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Stop once the rows, sorted by the service, have passed this date. */
  readonly stop?: { readonly descending: boolean; readonly timestamp: number } | undefined;
}

type Given = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** Finds what the service can do for a plan. Only verbs before the first slice or gathering verb count. */
export function pushdown(operation: SearchName, given: Given, verbs: readonly Verb[]): Pushdown {
  const comparisons: Comparison[] = [];
  const changed = new Set<string>();
  let at = 0;
  for (; at < verbs.length; at++) {
    const verb = verbs[at] as Verb;
    if (verb.kind !== "rowWise" || verb.changes === "all") break;
    for (const name of verb.changes ?? []) changed.add(name);
    comparisons.push(...(verb.comparisons ?? []).filter(({ column }) => !changed.has(column)));
  }
  switch (operation) {
    case "mentions":
      return { parameters: mentions(comparisons, given) };
    case "people":
      return { parameters: people(comparisons, given) };
    case "programsSearch":
      return programs(comparisons, given, changed.has("date") ? undefined : verbs[at]);
    default:
      return { parameters: {} };
  }
}

function mentions(comparisons: readonly Comparison[], given: Given): Record<string, string | number> {
  const parameters: Record<string, string | number> = {};
  const person = comparisons.find(({ column, op, value }) => column === "personid" && op === "Eq" && "number" in value);
  if (person !== undefined && given.personid === undefined && "number" in person.value) {
    const { number } = person.value;
    if (Number.isSafeInteger(number) && number > 0) parameters.personid = number;
  }
  if (given.date !== undefined) return parameters;
  const { from, to } = timeRange(comparisons, "begintime");
  const mindate = latest(given.mindate, day(from));
  const maxdate = earliest(given.maxdate, day(to));
  // The service would refuse an empty range; the scan returns no rows for it anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return parameters;
  if (mindate !== undefined && mindate === maxdate && given.mindate === undefined && given.maxdate === undefined) {
    return { ...parameters, date: mindate };
  }
  if (mindate !== undefined && mindate !== given.mindate) parameters.mindate = mindate;
  if (maxdate !== undefined && maxdate !== given.maxdate) parameters.maxdate = maxdate;
  return parameters;
}

/** The first and the last millisecond that pass the comparisons of a column. */
function timeRange(comparisons: readonly Comparison[], name: string): { from: number; to: number } {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  for (const { column, op, value } of comparisons) {
    if (column !== name || !("timestamp" in value)) continue;
    const { timestamp } = value;
    if (op !== "Lt" && op !== "LtEq") from = Math.max(from, timestamp);
    // Before midnight is the day before.
    if (op === "Lt") to = Math.min(to, Math.ceil(timestamp) - 1);
    if (op === "LtEq" || op === "Eq") to = Math.min(to, timestamp);
  }
  return { from, to };
}

/** The UTC day of a timestamp; undefined if the service has no spelling for it. */
function day(timestamp: number): string | undefined {
  const date = new Date(Math.floor(timestamp / DAY) * DAY);
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}

function latest(given: unknown, pushed: string | undefined): string | undefined {
  if (typeof given !== "string") return pushed;
  return pushed !== undefined && pushed > given ? pushed : given;
}

function earliest(given: unknown, pushed: string | undefined): string | undefined {
  if (typeof given !== "string") return pushed;
  return pushed !== undefined && pushed < given ? pushed : given;
}

function people(comparisons: readonly Comparison[], given: Given): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const { column, op, value } of comparisons) {
    const parameter = { firstName: "first", lastName: "last" }[column];
    if (parameter === undefined || op !== "Eq" || !("text" in value) || value.text.trim() === "") continue;
    if (given[parameter] === undefined) parameters[parameter] ??= value.text;
  }
  return parameters;
}

/** @param next the verb after the pushed ones, which may be a sort */
function programs(comparisons: readonly Comparison[], given: Given, next: Verb | undefined): Pushdown {
  const [key] = next?.sort ?? [];
  const wanted = key?.column === "date" ? `date ${key.descending ? "desc" : "asc"}` : undefined;
  const sort = given.sort ?? wanted;
  const parameters: Record<string, string> = given.sort === undefined && wanted !== undefined ? { sort: wanted } : {};
  const { from, to } = timeRange(comparisons, "date");
  if (sort === "date desc" && Number.isFinite(from)) return { parameters, stop: { descending: true, timestamp: from } };
  if (sort === "date asc" && Number.isFinite(to)) return { parameters, stop: { descending: false, timestamp: to } };
  return { parameters };
}

/** That many different days in order are no accident. */
const PROOF_DAYS = 10;
/** One page is no proof: a search that is not sorted may begin with some rows in order. */
const PROOF_PAGES = 2;

/**
 * Proves that a search is sorted by date and has passed a bound, so that no later row can be within it.
 *
 * The service may ignore the sort, or sort by day alone in a time zone of its own. Therefore every row is checked, rows may
 * be out of order by less than a day, and the bound must be passed by a whole day.
 */
export class DateOrder {
  #isSorted = true;
  #pages = 0;
  #days = 0;
  /** The day that was counted last. */
  #day: number | undefined;
  /** The furthest date so far, in the direction of the sort. */
  #furthest = Number.NEGATIVE_INFINITY;

  constructor(readonly bound: { readonly descending: boolean; readonly timestamp: number }) {}

  add(rows: PolarsFrame): void {
    if (rows.height === 0 || !this.#isSorted) return;
    this.#pages++;
    const sign = this.bound.descending ? -1 : 1;
    for (const date of rows.getColumn("date").toArray() as Iterable<unknown>) {
      if (!(date instanceof Date) || sign * date.getTime() <= this.#furthest - DAY) {
        this.#isSorted = false;
        return;
      }
      const time = sign * date.getTime();
      this.#furthest = Math.max(this.#furthest, time);
      if (this.#day !== undefined && time < this.#day + DAY) continue;
      this.#day = time;
      this.#days++;
    }
  }

  /** The order is proven and the bound is passed. */
  get isBeyond(): boolean {
    const { descending, timestamp } = this.bound;
    if (!this.#isSorted || this.#pages < PROOF_PAGES || this.#days < PROOF_DAYS) return false;
    return this.#furthest - DAY > (descending ? -timestamp : timestamp);
  }
}

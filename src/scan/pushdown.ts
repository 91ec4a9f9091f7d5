import type { SearchName } from "../service/operations/operations.js";
import type { Step } from "./step.js";
import type { Term } from "./terms.js";

/** What a plan can leave to the service. All of it is applied here as well, so it can only save requests. */
export interface Pushdown {
  /** Parameters for the request, besides those that were given. */
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Stop when the rows of a page, sorted by the service, are beyond this date. */
  readonly stop?: { readonly descending: boolean; readonly moment: number } | undefined;
}

const DAY = 86_400_000;

/** Finds what the service can do of a plan: only verbs before the first that counts or gathers rows matter. */
export function pushdown(
  operation: SearchName,
  given: Readonly<Record<string, unknown>>,
  steps: readonly Step[],
): Pushdown {
  const terms: Term[] = [];
  const changed = new Set<string>();
  let at = 0;
  for (; at < steps.length; at++) {
    const step = steps[at] as Step;
    if (step.kind !== "rows" || step.changes === "all") break;
    for (const name of step.changes ?? []) changed.add(name);
    terms.push(...(step.terms ?? []).filter(({ column }) => !changed.has(column)));
  }
  switch (operation) {
    case "mentions":
      return { parameters: mentions(terms, given) };
    case "people":
      return { parameters: people(terms, given) };
    case "programsSearch":
      return programs(terms, given, changed.has("date") ? undefined : steps[at]);
    default:
      return { parameters: {} };
  }
}

function mentions(terms: readonly Term[], given: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const parameters: Record<string, string | number> = {};
  const person = terms.find(({ column, op, value }) => column === "personid" && op === "Eq" && "number" in value);
  if (person !== undefined && given.personid === undefined && "number" in person.value) {
    const { number } = person.value;
    if (Number.isSafeInteger(number) && number > 0) parameters.personid = number;
  }
  if (given.date !== undefined) return parameters;
  const { from, to } = bounds(terms, "begintime");
  const mindate = latest(given.mindate, day(from));
  const maxdate = earliest(given.maxdate, day(to));
  // Bounds that exclude each other are not sent: the service would refuse them, and the answer is made here anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return parameters;
  if (mindate !== undefined && mindate === maxdate && given.mindate === undefined && given.maxdate === undefined) {
    return { ...parameters, date: mindate };
  }
  if (mindate !== undefined && mindate !== given.mindate) parameters.mindate = mindate;
  if (maxdate !== undefined && maxdate !== given.maxdate) parameters.maxdate = maxdate;
  return parameters;
}

/** The first and the last millisecond that rows can have by the terms on a column. */
function bounds(terms: readonly Term[], column: string): { from: number; to: number } {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  for (const term of terms) {
    if (term.column !== column || !("moment" in term.value)) continue;
    const { moment } = term.value;
    if (term.op !== "Lt" && term.op !== "LtEq") from = Math.max(from, moment);
    // What is before midnight is of the day before.
    if (term.op === "Lt") to = Math.min(to, Math.ceil(moment) - 1);
    if (term.op === "LtEq" || term.op === "Eq") to = Math.min(to, moment);
  }
  return { from, to };
}

/** The UTC day of a moment, where the service can be told it. */
function day(moment: number): string | undefined {
  const date = new Date(Math.floor(moment / DAY) * DAY);
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

function people(terms: readonly Term[], given: Readonly<Record<string, unknown>>): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const { column, op, value } of terms) {
    const parameter = { firstName: "first", lastName: "last" }[column];
    if (parameter === undefined || op !== "Eq" || !("text" in value) || value.text.trim() === "") continue;
    if (given[parameter] === undefined) parameters[parameter] ??= value.text;
  }
  return parameters;
}

function programs(terms: readonly Term[], given: Readonly<Record<string, unknown>>, next: Step | undefined): Pushdown {
  const [key] = next?.sort ?? [];
  const wanted = key?.column === "date" ? `date ${key.descending ? "desc" : "asc"}` : undefined;
  const sort = given.sort ?? wanted;
  const parameters: Record<string, string> = given.sort === undefined && wanted !== undefined ? { sort: wanted } : {};
  const { from, to } = bounds(terms, "date");
  if (sort === "date desc" && Number.isFinite(from)) return { parameters, stop: { descending: true, moment: from } };
  if (sort === "date asc" && Number.isFinite(to)) return { parameters, stop: { descending: false, moment: to } };
  return { parameters };
}

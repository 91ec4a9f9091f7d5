import type { SearchName } from "../service/operations/operations.js";
import type { Comparison } from "./comparisons.js";
import type { Verb } from "./verbs.js";

/** Parameters that are added to a request. The verbs are applied here as well, so they can only save requests. */
export type Pushdown = Readonly<Record<string, string | number>>;

type Given = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** Finds what the service can do for a plan. Only verbs before the first slice or gathering verb count. */
export function pushdown(operation: SearchName, given: Given, verbs: readonly Verb[]): Pushdown {
  const comparisons: Comparison[] = [];
  const changed = new Set<string>();
  for (const verb of verbs) {
    if (verb.kind !== "rowWise" || verb.changes === "all") break;
    for (const name of verb.changes ?? []) changed.add(name);
    comparisons.push(...(verb.comparisons ?? []).filter(({ column }) => !changed.has(column)));
  }
  if (operation === "mentions") return mentions(comparisons, given);
  return operation === "people" ? people(comparisons, given) : {};
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
  const mindate = last(given.mindate, day(from));
  const maxdate = first(given.maxdate, day(to));
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

/** The first or the last of the days that are given, in the order of their text. */
function first(...days: readonly unknown[]): string | undefined {
  return days.filter((each) => typeof each === "string").sort()[0];
}

function last(...days: readonly unknown[]): string | undefined {
  return days
    .filter((each) => typeof each === "string")
    .sort()
    .at(-1);
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

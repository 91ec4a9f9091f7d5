import { rangeOf } from "../frames/where.js";
import type { OperationName } from "../service/operations/operations.js";
import { isObject } from "../util/isObject.js";
import type { Verb } from "./verbs.js";

/** Parameters added to a request. The verbs still run on this machine, so this can only save requests. */
type Pushed = Readonly<Record<string, string | number>>;
type Given = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** Finds the conditions of `where({…})` that the service can apply, in the filters that come first. */
export function pushdown(operation: OperationName, given: Given, verbs: readonly Verb[]): Pushed {
  const end = verbs.findIndex(({ kind, conditions }) => kind !== "rowWise" || conditions === undefined);
  const filters = verbs.slice(0, end < 0 ? undefined : end);
  const conditions = filters.flatMap((filter) => Object.entries(filter.conditions ?? {}));
  return operation === "mentions" ? parametersOf(conditions, given) : {};
}

function parametersOf(conditions: ReadonlyArray<[string, unknown]>, given: Given): Pushed {
  const parameters: Record<string, string | number> = {};
  const person = conditions.find(([column, value]) => column === "personid" && Number.isSafeInteger(value));
  if (person !== undefined && given.personid === undefined && (person[1] as number) > 0)
    parameters.personid = person[1] as number;
  if (given.date !== undefined) return parameters;
  const times = conditions.flatMap(([column, condition]) => (column === "begintime" ? [limits(condition)] : []));
  // The service compares days of a zone that it does not say: a day more on either side loses nothing.
  const first = times.flatMap(({ from }) => (from === undefined ? [] : [day(from.getTime() - DAY)]));
  const last = times.flatMap(({ until }) => (until === undefined ? [] : [day(until.getTime() - 1 + DAY)]));
  const sorted = (days: readonly unknown[]) => days.filter((date) => typeof date === "string").sort();
  const mindate = sorted([...first, given.mindate]).at(-1);
  const maxdate = sorted([...last, given.maxdate]).at(0);
  // The service refuses an empty range; the scan returns no rows for it anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return parameters;
  if (mindate !== undefined && mindate !== given.mindate) parameters.mindate = mindate;
  if (maxdate !== undefined && maxdate !== given.maxdate) parameters.maxdate = maxdate;
  return parameters;
}

/** The first moment that a condition allows, and the first after it. */
function limits(condition: unknown): { readonly from?: Date | undefined; readonly until?: Date | undefined } {
  const range = rangeOf(condition);
  if (range !== undefined) return { from: range[0], until: range[1] };
  if (!isObject(condition)) return {};
  return { from: rangeOf(condition.from)?.[0], until: rangeOf(condition.until)?.[1] };
}

/** The UTC day of a moment; undefined if the service cannot express it. */
function day(time: number): string | undefined {
  const date = new Date(time);
  const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}

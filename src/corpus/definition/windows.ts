import { dateWindows } from "../../call/dateWindows.js";
import { ValidationError } from "../../errors/index.js";
import { show } from "../../errors/validators.js";
import { type ArchiveRequest, buildRequest } from "../../service/operations/request.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { groupBy } from "../../util/groupBy.js";
import type { Period } from "../../util/period.js";
import { sha256Of } from "../../util/sha256Of.js";
import { addDays, daysBetween } from "./days.js";
import type { Definition } from "./definition.js";
import type { Search } from "./searches.js";

/** The key of a window in a map: those of all searches have other keys, also where their requests are equal. */
export const windowId = (search: string, span: string): string => `${search} ${span}`;

const MAX_WINDOWS = 200_000;

/** One search in one span of days: what is fetched, lands and is refreshed as a whole. */
export interface Window {
  /** Sixteen hexadecimal digits of the SHA-256 of its request: nothing identifies a window but what is asked. */
  readonly key: string;
  readonly search: Search;
  /** Its days: a period ("2024-03", "2024-W10"), the first and the last one ("2024-03-01/2024-03-15") of a part, or "all". */
  readonly name: string;
  /** First and last day, yyyy-mm-dd; undefined if the search is not limited. */
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  readonly request: ArchiveRequest;
}

/** Windows with the same request: it is sent once. */
export type Group = readonly [Window, ...Window[]];

export function byRequest(windows: readonly Window[]): Group[] {
  return [...groupBy(windows, ({ key }) => key).values()] as unknown as Group[];
}

/**
 * The windows of a corpus, in the order in which they are fetched: by first day.
 *
 * @throws ValidationError for a search without a first day that has to be split, or for too many windows
 */
export function windowsOf(definition: Definition): readonly Window[] {
  const made = known.get(definition);
  if (made !== undefined) return made;
  const windows: Window[] = [];
  for (const [at, search] of definition.searches.entries()) {
    if (windows.length + leastWindows(definition, search) > MAX_WINDOWS)
      throw new ValidationError(`invalid window: ${show(definition.window)}. These are more than 200,000 windows.`, {
        hint: "Give a longer window, for example year, or fewer searches.",
        parameter: "window",
      });
    for (const window of windowsOfSearch(definition, search, at + 1)) windows.push(window);
  }
  windows.sort((a, b) => byCodeUnit(a.mindate ?? "", b.mindate ?? ""));
  known.set(definition, windows);
  return windows;
}

/** A definition never changes: windows are made once. */
const known = new WeakMap<Definition, readonly Window[]>();

/** The windows of one search after those of the other, in the order of the definition. */
export function windowsBySearch(definition: Definition): Window[] {
  const places = new Map(definition.searches.map(({ id }, at) => [id, at]));
  const placeOf = ({ search }: Window) => places.get(search.id) as number;
  return [...windowsOf(definition)].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The last day of the first half of a window; undefined if it has a single day, or no first one. */
export function middleDay(window: Window, until: string): string | undefined {
  const { mindate, maxdate } = window;
  const last = maxdate ?? until;
  if (mindate === undefined || mindate >= last) return undefined;
  return addDays(mindate, Math.floor((daysBetween(mindate, last) - 1) / 2));
}

const LONGEST_DAYS: Readonly<Record<Period, number>> = {
  day: 1,
  week: 7,
  month: 31,
  quarter: 92,
  year: 366,
  congress: 731,
};

/** The minimum number of windows of a search, without building them: a mistyped year has hundreds of thousands. */
function leastWindows({ window, until }: Definition, { parameters: { mindate, maxdate } }: Search): number {
  if (window === undefined || mindate === undefined) return 1;
  const last = maxdate !== undefined && maxdate < until ? maxdate : until;
  return Math.max(1, daysBetween(mindate, last) / LONGEST_DAYS[window]);
}

function* windowsOfSearch(definition: Definition, search: Search, number: number): Generator<Window> {
  const { window, until } = definition;
  const { date, mindate, maxdate } = search.parameters;
  if (window === undefined || date !== undefined)
    return yield* withHalves(definition, windowOf(search, "all", mindate ?? date, maxdate ?? date));
  if (mindate === undefined) {
    throw new ValidationError(
      `invalid window: ${show(window)}. Search ${number} has no first day: ${show(search.parameters)}.`,
      {
        hint: 'Give it a mindate or a congress, for example mindate: "2021-01-01", or leave window out.',
        parameter: "window",
      },
    );
  }
  // Future days have no window yet.
  const last = maxdate !== undefined && maxdate < until ? maxdate : until;
  for (const { name, ...days } of dateWindows(mindate, last < mindate ? mindate : last, window)) {
    yield* withHalves(
      definition,
      windowOf(search, window === "week" ? weekName(name) : name, days.mindate, days.maxdate),
    );
  }
}

/** The name of a week in ISO 8601, which says its year by its Thursday. Its Monday would be the name of a day. */
function weekName(monday: string): string {
  const thursday = addDays(monday, 3);
  const year = thursday.slice(0, 4);
  const week = 1 + Math.floor(daysBetween(`${year}-01-01`, thursday) / 7);
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/** A window that the service does not follow to its end is split. */
export function* withHalves(definition: Definition, whole: Window): Generator<Window> {
  const waiting = [whole];
  for (let window = waiting.pop(); window !== undefined; window = waiting.pop()) {
    const { search, mindate, maxdate } = window;
    const middle = definition.splits[window.key];
    const last = maxdate ?? definition.until;
    if (middle === undefined || mindate === undefined || middle < mindate || middle >= last) yield window;
    else {
      const next = addDays(middle, 1);
      // Named by their days: another split of the same period has others.
      waiting.push(
        windowOf(search, `${next}/${maxdate ?? ".."}`, next, maxdate),
        windowOf(search, `${mindate}/${middle}`, mindate, middle),
      );
    }
  }
}

export function windowOf(
  search: Search,
  name: string,
  mindate: string | undefined,
  maxdate: string | undefined,
): Window {
  const { date, ...parameters } = search.parameters;
  const given = date === undefined ? { ...parameters, mindate, maxdate } : search.parameters;
  const request = buildRequest("mentions", { ...given, unchecked: true });
  const asked = JSON.stringify([request.path, [...request.query].sort()]);
  const key = sha256Of(asked).slice(0, 16);
  return { key, search, name, mindate, maxdate, request };
}

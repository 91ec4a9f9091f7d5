import { dateWindows } from "../../call/dateWindows.js";
import { ValidationError } from "../../errors/index.js";
import { show } from "../../errors/validators.js";
import { type ArchiveRequest, buildRequest } from "../../service/operations/request.js";
import type { Period } from "../../util/period.js";
import { addDays } from "./addDays.js";
import type { Definition } from "./definition.js";
import type { Search } from "./search.js";

const MAX_UNITS = 200_000;

/** One search in one window: what is fetched, merged and refreshed as a whole. */
export interface Unit {
  /** The name of its files in `work/`. */
  readonly name: string;
  readonly search: Search;
  /** The name of the window: "2024-03", "2024-03.1" for its first half, or "all". */
  readonly window: string;
  /** First and last day, yyyy-mm-dd; undefined if the search is not limited. */
  readonly mindate: string | undefined;
  readonly maxdate: string | undefined;
  readonly request: ArchiveRequest;
  /** These are not all days of the unit. */
  readonly isPart?: true;
}

/**
 * The units of a corpus, in the order in which they are fetched: by window, so that a batch of them touches few partitions.
 *
 * @throws ValidationError for a search without a first day that has to be split, or for too many units
 */
export function unitsOf(definition: Definition): Unit[] {
  const units: Unit[] = [];
  for (const [at, search] of definition.searches.entries()) {
    if (units.length + leastWindows(definition, search) > MAX_UNITS)
      throw new ValidationError(`invalid window: ${show(definition.window)}. These are more than 200,000 windows.`, {
        hint: "Give a longer window, for example year, or fewer searches.",
        parameter: "window",
      });
    for (const unit of unitsOfSearch(definition, search, at + 1)) units.push(unit);
  }
  return units.sort((a, b) => compare(a.mindate ?? "", b.mindate ?? ""));
}

/** The units of one search after those of the other, in the order of the definition; those of a search in the order given. */
export function unitsBySearch({ searches }: Pick<Definition, "searches">, units: readonly Unit[]): Unit[] {
  const places = new Map(searches.map(({ id }, at) => [id, at]));
  const placeOf = ({ search }: Unit) => places.get(search.id) ?? searches.length;
  return [...units].sort((a, b) => placeOf(a) - placeOf(b));
}

/** A unit for a part of its days. */
export function unitFrom(unit: Unit, mindate: string): Unit {
  const { search, window, maxdate } = unit;
  return { ...unitOf(search, window, mindate, maxdate), isPart: true };
}

/** The last day of the first half of a unit; undefined if it has a single day, or no first or last one. */
export function middleOf({ mindate, maxdate }: Unit, until: string): string | undefined {
  const last = maxdate ?? until;
  if (mindate === undefined || mindate >= last) return undefined;
  return addDays(mindate, Math.floor((daysBetween(mindate, last) - 1) / 2));
}

const LONGEST_DAYS: Readonly<Record<Period, number>> = { day: 1, week: 7, month: 31, year: 366 };

/** At least so many windows has a search. They are not built to be counted: a year that is mistyped has hundreds of thousands. */
function leastWindows({ window, until }: Definition, { parameters: { mindate, maxdate } }: Search): number {
  if (window === undefined || mindate === undefined) return 1;
  return Math.max(1, daysBetween(mindate, maxdate ?? until) / LONGEST_DAYS[window]);
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000);
}

function* unitsOfSearch(definition: Definition, search: Search, number: number): Generator<Unit> {
  const { window, until } = definition;
  const { date, mindate, maxdate } = search.parameters;
  if (window === undefined || date !== undefined)
    return yield* halves(definition, unitOf(search, "all", mindate ?? date, maxdate ?? date));
  if (mindate === undefined) {
    throw new ValidationError(
      `invalid window: ${show(window)}. Search ${number} has no first day: ${show(search.parameters)}.`,
      {
        hint: 'Give it a mindate or a congress, for example mindate: "2021-01-01", or leave window out.',
        parameter: "window",
      },
    );
  }
  for (const { name, ...days } of dateWindows(mindate, maxdate ?? (until < mindate ? mindate : until), window)) {
    yield* halves(definition, unitOf(search, name, days.mindate, days.maxdate));
  }
}

function* halves(definition: Definition, unit: Unit): Generator<Unit> {
  const middle = definition.splits[unit.name];
  const { search, window, mindate, maxdate } = unit;
  if (middle === undefined) return yield unit;
  yield* halves(definition, unitOf(search, `${window}.1`, mindate, middle));
  yield* halves(definition, unitOf(search, `${window}.2`, addDays(middle, 1), maxdate));
}

function unitOf(search: Search, window: string, mindate: string | undefined, maxdate: string | undefined): Unit {
  const { date: _date, ...parameters } = search.parameters;
  const request = buildRequest(
    "mentions",
    search.parameters.date === undefined ? { ...parameters, mindate, maxdate } : search.parameters,
  );
  return { name: `${search.id}-${window}`, search, window, mindate, maxdate, request };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

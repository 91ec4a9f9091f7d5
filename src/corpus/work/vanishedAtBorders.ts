import { addDays } from "../definition/addDays.js";
import type { Unit } from "../definition/units.js";
import { markVanished } from "../tables/markVanished.js";
import type { RefreshedIds } from "./refreshedIds.js";
import type { UnitRecords } from "./unitRecords.js";

/** A unit with a first and a last day. */
type Dated = Unit & { readonly mindate: string; readonly maxdate: string };

/**
 * Dates what vanished on the first and the last days of units that meet. The service may count days in another time zone, so a mention
 * on such a day has vanished if no unit with that day, the day before or the day after has found it, and all of them were asked.
 *
 * @param units all units of the corpus, by first day
 * @returns how many mentions vanished
 */
export async function vanishedAtBorders(
  dir: string,
  units: readonly Unit[],
  ids: RefreshedIds,
  records: UnitRecords,
): Promise<number> {
  const bySearch = new Map<string, Dated[]>();
  for (const unit of units) {
    if (unit.mindate === undefined || unit.maxdate === undefined || !ids.has(unit.name)) continue;
    bySearch.set(unit.search.id, [...(bySearch.get(unit.search.id) ?? []), unit as Dated]);
  }
  let count = 0;
  for (const asked of bySearch.values())
    for (const [at, unit] of asked.entries()) {
      const next = asked[at + 1];
      if (next?.mindate === addDays(unit.maxdate, 1)) count += await vanishedBetween(dir, asked, at, ids, records);
    }
  return count;
}

/** What vanished on the last day of a unit and the first day of the next. */
async function vanishedBetween(
  dir: string,
  asked: readonly Dated[],
  at: number,
  ids: RefreshedIds,
  records: UnitRecords,
): Promise<number> {
  const last = (asked[at] as Dated).maxdate;
  const [before, first, after] = [addDays(last, -1), addDays(last, 1), addDays(last, 2)];
  const near = asked.filter(({ mindate, maxdate }) => mindate <= after && maxdate >= before);
  const isAsked = (day: string) => near.some(({ mindate, maxdate }) => mindate <= day && day <= maxdate);
  const days = near.map(({ name }) => records.get(name)?.retrieved ?? "").sort();
  const unit = {
    search: (asked[at] as Dated).search.id,
    // Only the days strictly between these are considered.
    mindate: isAsked(before) ? before : last,
    maxdate: isAsked(after) ? after : first,
    day: days.at(-1) as string,
  };
  return markVanished(dir, unit, new Set(near.flatMap(({ name }) => ids.read(name))));
}

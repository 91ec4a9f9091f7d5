import { invalid } from "../errors/validators.js";
import { option, wording } from "../errors/wording.js";
import { addDays } from "./definition/addDays.js";
import type { Definition } from "./definition/definition.js";
import { type Unit, unitsOf } from "./definition/units.js";
import type { RunOptions } from "./runOptions.js";
import type { UnitRecords } from "./work/unitRecords.js";

/** Options of `refresh`. */
export interface RefreshOptions extends RunOptions {
  /**
   * How long the service may add, change or remove mentions after their day: `"30d"`, `"6w"`. Windows that end earlier than this before
   * they were fetched are not asked again. Default "30d".
   */
  lag?: string | undefined;
}

const DEFAULT_LAG = "30d";
const MAX_DAYS = 100_000;

/**
 * Checks a lag.
 *
 * @returns days
 */
export function checkLag(lag: unknown = DEFAULT_LAG): number {
  const [, number, unit] = (typeof lag === "string" && /^(\d{1,6})([dw])$/.exec(lag.trim())) || [];
  const days = Number(number) * (unit === "w" ? 7 : 1);
  if (days <= MAX_DAYS) return days;
  throw invalid(
    "lag",
    lag,
    wording`Give a number of days or weeks, for example ${option("lag", "30d")} or ${option("lag", "6w")}.`,
  );
}

/**
 * The definition with the units that a refresh has to ask again. A refresh that was stopped goes on with those that are left.
 *
 * @param today yyyy-mm-dd: the new last day of searches without one
 */
export function beginRefresh(definition: Definition, records: UnitRecords, lag: number, today: string): Definition {
  if (Object.keys(definition.pending).length > 0) return definition;
  const until = today > definition.until ? today : definition.until;
  const extended = { ...definition, until };
  const pending = unitsOf(extended).flatMap((unit): Array<[string, string | null]> => {
    const record = records.get(unit.name);
    if (record === undefined) return [];
    const from = addDays(record.retrieved, -lag);
    return (unit.maxdate ?? until) < from ? [] : [[unit.name, firstDay(extended, unit, from)]];
  });
  return { ...extended, pending: Object.fromEntries(pending) };
}

/** The first day to ask for, if a unit is not asked as a whole: one without windows only for its last days. */
function firstDay({ window }: Definition, { search, mindate }: Unit, from: string): string | null {
  const isWhole = window !== undefined || search.parameters.date !== undefined;
  return isWhole || (mindate !== undefined && from <= mindate) ? null : from;
}

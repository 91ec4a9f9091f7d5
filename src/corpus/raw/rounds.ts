import { invalid } from "../../errors/validators.js";
import { isObject } from "../../util/isObject.js";
import { addDays, isDay } from "../definition/days.js";
import type { Definition } from "../definition/definition.js";
import { type Window, windowOf, windowsOf, withHalves } from "../definition/windows.js";
import { type Landing, partitionOf, readLandings } from "./landing.js";
import { lastLandings } from "./lastLandings.js";
import { type CorpusStorage, directoryStorage } from "./storage.js";

/** A refresh: what it asks again. What of it has landed is complete. */
export interface Round {
  /** 1 for the first refresh. */
  readonly round: number;
  /** The day on which it began, yyyy-mm-dd. */
  readonly day: string;
  readonly asked: readonly AskedWindow[];
}

interface AskedWindow {
  readonly search: string;
  readonly name: string;
  readonly mindate: string | null;
  readonly maxdate: string | null;
}

const DIRECTORY = "raw/rounds";
const MAX_BYTES = 2 ** 28;
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
  throw invalid("lag", lag, 'Give a number of days or weeks, for example lag: "30d" or lag: "6w".');
}

/** All rounds, in order. */
export async function readRounds(storage: CorpusStorage): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const path of await storage.list(DIRECTORY)) {
    try {
      const value: unknown = JSON.parse(String(await storage.read(path, MAX_BYTES)));
      if (isRound(value) && roundPath(value.round) === path) rounds.push(value);
    } catch {
      // Not a round; `verify` reports it.
    }
  }
  return rounds.sort((a, b) => a.round - b.round);
}

export async function writeRound(storage: CorpusStorage, round: Round): Promise<void> {
  await storage.put(roundPath(round.round), JSON.stringify(round));
}

/** The path of a round. */
export function roundPath(round: number): string {
  return `${DIRECTORY}/${String(round).padStart(4, "0")}.json`;
}

/**
 * A refresh: the windows that ended within `lag` before their first response, and those that never landed. Without windows, only the last
 * days of a search are asked again, and one day more: the service may count days in another time zone. If all of its rows are from
 * these days, it is asked again as a whole.
 *
 * @param definition whose `until` is the day of the refresh
 */
export function newRound(
  definition: Definition,
  landings: readonly Landing[],
  rounds: readonly Round[],
  lag: number,
  day: string,
): Round {
  const months = new Map<string, string>();
  for (const { search, files } of landings)
    for (const file of files) {
      const month = partitionOf(file);
      if (month < (months.get(search) ?? month + 1)) months.set(search, month);
    }
  const windows = windowsOf(definition);
  const last = lastLandings(windows, landings);
  const asked = windows.flatMap(({ key, search, name, ...days }) => {
    const [mindate, maxdate] = [days.mindate ?? null, days.maxdate ?? null];
    const known = last.get(key);
    const whole = { search: search.id, name, mindate, maxdate };
    if (known === undefined) return [whole];
    const first = known.first.slice(0, 10);
    const from = addDays(first, -lag);
    if ((maxdate ?? first) < from) return [];
    const lastDays = addDays(from, -1);
    const [year, month] = lastDays.split("-");
    const hasEarlier = (months.get(search.id) ?? "") <= `year=${year}/month=${month}`;
    const canBeLess = definition.window === undefined && name === "all" && search.parameters.date === undefined;
    const isLess = canBeLess && hasEarlier && (mindate === null || mindate < lastDays);
    return [isLess ? { ...whole, mindate: lastDays } : whole];
  });
  return { round: (rounds.at(-1)?.round ?? 0) + 1, day, asked };
}

/** What is left to fetch, and the round it belongs to. Windows that never landed belong to the last round. */
export interface Pending {
  readonly round: number;
  readonly windows: readonly Window[];
  /** Whether all that the last refresh asks again has landed. */
  readonly isRoundComplete: boolean;
}

export function pendingOf(definition: Definition, landings: readonly Landing[], rounds: readonly Round[]): Pending {
  const last = rounds.at(-1);
  const round = last?.round ?? 0;
  const landed = new Map<string, number>();
  for (const { window, round: at } of landings) landed.set(window, Math.max(at, landed.get(window) ?? 0));
  const searches = new Map(definition.searches.map((search) => [search.id, search]));
  const again = (last?.asked ?? []).flatMap(({ search: id, name, mindate, maxdate }) => {
    const search = searches.get(id);
    if (search === undefined) return [];
    const window = windowOf(search, name, mindate ?? undefined, maxdate ?? undefined);
    return [...withHalves(definition, window)].filter(({ key }) => landed.get(key) !== round);
  });
  const known = new Set([...again.map(({ key }) => key), ...landed.keys()]);
  const never = windowsOf(definition).filter(({ key }) => !known.has(key));
  return { round, windows: [...again, ...never], isRoundComplete: again.length === 0 };
}

/** What has landed in a corpus, its rounds, and what is left to fetch. */
export async function readProgress(dir: string, definition: Definition) {
  const storage = directoryStorage(dir);
  const [landings, rounds] = [await readLandings(storage), await readRounds(storage)];
  return { landings, rounds, pending: pendingOf(definition, landings, rounds) };
}

function isRound(value: unknown): value is Round {
  if (!isObject(value) || !Number.isSafeInteger(value.round) || !Array.isArray(value.asked)) return false;
  return (
    isDay(value.day) &&
    value.asked.every(
      (one) =>
        isObject(one) &&
        typeof one.search === "string" &&
        typeof one.name === "string" &&
        [one.mindate, one.maxdate].every((day) => day === null || isDay(day)),
    )
  );
}

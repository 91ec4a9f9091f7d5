import { invalid } from "../../errors/validators.js";
import { addDays } from "../definition/days.js";
import type { Definition } from "../definition/definition.js";
import { type Window, windowOf, windowsOf, withHalves } from "../definition/windows.js";
import type { AskedWindow, CorpusState } from "./corpusState.js";
import { monthOf, timeOf } from "./month.js";
import { literal } from "./sqlText.js";

const MAX_DAYS = 100_000;

/**
 * Checks a span of days.
 *
 * @returns days
 */
export function checkDays(name: string, given: unknown, normal: string): number {
  const [, number, unit] = (typeof given === "string" && /^(\d{1,6})([dw])$/.exec(given.trim())) || [];
  const days = Number(number) * (unit === "w" ? 7 : 1);
  if (days <= MAX_DAYS) return days;
  throw invalid(name, given, `Give a number of days or weeks, for example ${name}: "${normal}" or ${name}: "6w".`);
}

/** What is left to fetch in the open round, or in one that a build would begin: what a refresh asks again, then what has never landed. */
export function pendingOf({ round, asked, landed }: CorpusState, definition: Definition): Window[] {
  const searches = new Map(definition.searches.map((search) => [search.id, search]));
  const landedIn = ({ search, name }: Window) => landed.get(`${search.id} ${name}`)?.round;
  const again = asked.flatMap(({ search: id, span, mindate, maxdate }) => {
    const search = searches.get(id);
    if (search === undefined) return [];
    const window = windowOf(search, span, mindate ?? undefined, maxdate ?? undefined);
    return [...withHalves(definition, window)].filter((half) => landedIn(half) !== round?.round);
  });
  const known = new Set(again.map(({ search, name }) => `${search.id} ${name}`));
  const never = windowsOf(definition).filter(
    ({ search, name, key }) => !known.has(`${search.id} ${name}`) && landed.get(`${search.id} ${name}`)?.key !== key,
  );
  return [...again, ...never];
}

/** Begins a round: closes the one before, if it is open. */
export async function beginRound(state: CorpusState, day: string, asked: readonly AskedWindow[]): Promise<void> {
  const { database } = state;
  const round = (state.round?.round ?? 0) + 1;
  await database.transaction(async () => {
    if (state.round?.closed === false) await close(state);
    await database.run(`insert into rounds values (${round}, date ${literal(day)}, false)`);
    await database.insert(
      "asked",
      asked.map(({ search, span, mindate, maxdate }) => [search, span, mindate, maxdate]),
    );
  });
  state.round = { round, day, closed: false };
  state.asked = [...asked];
}

/** Ends the open round: dates what its windows have not found. */
export async function closeRound(state: CorpusState): Promise<void> {
  if (state.round === undefined || state.round.closed) return;
  await state.database.transaction(() => close(state));
  state.round = { ...state.round, closed: true };
  state.asked = [];
}

async function close(state: CorpusState): Promise<void> {
  const { database, columns } = state;
  const { round, day } = state.round as { round: number; day: string };
  const [asked, landed] = [askedDays(state), state.landed];
  const groups = await database.rows<{ search: string; span: string; day: string | null }>(
    `select distinct h.search, h.span, (${timeOf(columns, "m")})::date::varchar as day
      from missing x join hits h on h.search = x.search and h.id = x.id join mentions m on m.id = h.id where h.vanished is null`,
  );
  const gone = groups.filter(({ search, span, day: own }) => {
    const known = landed.get(`${search} ${span}`);
    const days = asked.get(search) ?? [];
    if (known !== undefined && isCovered(days, known.mindate, known.maxdate)) return true;
    // The service may count days in another time zone.
    return own !== null && isCovered(days, addDays(own, -1), addDays(own, 1));
  });
  if (gone.length > 0) {
    await database.run("create or replace temp table gone (search varchar, span varchar, day varchar)");
    await database.insert(
      "gone",
      gone.map(({ search, span, day: own }) => [search, span, own]),
    );
    await database.run(`
      create or replace temp table lost as select h.search, h.id, m.begintime from missing x join hits h on h.search = x.search and h.id = x.id
        join mentions m on m.id = h.id join gone g on g.search = h.search and g.span = h.span
          and g.day is not distinct from (${timeOf(columns, "m")})::date::varchar where h.vanished is null;
      update hits set vanished = date ${literal(day)}, round = ${round} from lost l where hits.search = l.search and hits.id = l.id;
      create or replace temp table lost_mentions as select distinct id from lost anti join (from hits where vanished is null) using (id);
      insert or ignore into dirty select distinct ${monthOf(columns, "l")} from lost l;
      update mentions set vanished = date ${literal(day)}, round = ${round} where vanished is null and id in (from lost_mentions);`);
    const { n } = await database.one<{ n: number }>("select count(*)::int as n from lost_mentions");
    state.changes.vanished += n;
  }
  await database.run(`delete from missing; delete from asked; update rounds set closed = true where round = ${round}`);
}

type Days = readonly [first: string, last: string];
const [FIRST, LAST] = ["0000-01-01", "9999-12-31"];

/** The days that a round has asked of each search, as ranges that do not touch. */
function askedDays({ asked, landed, round }: CorpusState): ReadonlyMap<string, readonly Days[]> {
  const trimmed = new Map(asked.map((window) => [`${window.search} ${window.span}`, window]));
  const days = new Map<string, Array<[string, string]>>();
  for (const [name, window] of landed) {
    if (window.round !== round?.round) continue;
    const { mindate, maxdate } = trimmed.get(name) ?? window;
    const own = days.get(window.search) ?? [];
    own.push([mindate ?? FIRST, maxdate ?? LAST]);
    days.set(window.search, own);
  }
  for (const [search, own] of days) days.set(search, joined(own));
  return days;
}

/** Ranges of days without gaps or overlaps. */
export function joined(days: readonly Days[]): Array<[string, string]> {
  const ranges: Array<[string, string]> = [];
  for (const [first, last] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = ranges.at(-1);
    if (before !== undefined && (before[1] === LAST || first <= addDays(before[1], 1))) {
      if (last > before[1]) before[1] = last;
    } else ranges.push([first, last]);
  }
  return ranges;
}

/** Whether days are all in one of some ranges. */
export function isCovered(days: readonly Days[], mindate: string | null, maxdate: string | null): boolean {
  return days.some(([first, last]) => first <= (mindate ?? FIRST) && (maxdate ?? LAST) <= last);
}

/**
 * What a refresh asks again: the windows that ended within `lag` before their first response, and those that never landed. Without windows,
 * only the last days of a search are asked again, and one day more: the service may count days in another time zone. If all of its
 * rows are from these days, it is asked again as a whole.
 *
 * @param definition whose `until` is the day of the refresh
 */
export async function askedByRefresh(
  { database, columns, landed }: CorpusState,
  definition: Definition,
  lag: number,
): Promise<AskedWindow[]> {
  const time = timeOf(columns, "m");
  const first =
    definition.window !== undefined
      ? []
      : await database.rows<{ search: string; day: string | null }>(
          `select h.search, min((${time})::date)::varchar as day from hits h join mentions m on m.id = h.id group by h.search`,
        );
  const earliest = new Map(first.map(({ search, day }) => [search, day]));
  return windowsOf(definition).flatMap(({ search, name, key, ...days }) => {
    const [mindate, maxdate] = [days.mindate ?? null, days.maxdate ?? null];
    const known = landed.get(`${search.id} ${name}`);
    const whole = { search: search.id, span: name, mindate, maxdate };
    if (known === undefined || known.key !== key) return [whole];
    const from = addDays(known.began, -lag);
    if ((maxdate ?? known.began) < from) return [];
    const lastDays = addDays(from, -1);
    const hasEarlier = (earliest.get(search.id) ?? LAST) < lastDays;
    const canBeLess = definition.window === undefined && name === "all" && search.parameters.date === undefined;
    const isLess = canBeLess && hasEarlier && (mindate === null || mindate < lastDays);
    return [isLess ? { ...whole, mindate: lastDays } : whole];
  });
}

import { groupBy } from "../../util/groupBy.js";
import { addDays } from "../definition/days.js";
import type { Definition } from "../definition/definition.js";
import { type Window, windowId, windowOf, windowsOf, withHalves } from "../definition/windows.js";
import { monthOf, timeOf } from "./columns.js";
import type { AskedWindow, CorpusState } from "./corpusState.js";
import { sqlValue } from "./sqlText.js";

/** The windows that a refresh asks. */
export function windowsAsked({ searches }: Pick<Definition, "searches">, asked: readonly AskedWindow[]): Window[] {
  const known = new Map(searches.map((search) => [search.id, search]));
  return asked.flatMap(({ search: id, span, mindate, maxdate }) => {
    const search = known.get(id);
    return search === undefined ? [] : [windowOf(search, span, mindate ?? undefined, maxdate ?? undefined)];
  });
}

/** What is left to fetch in the open round, or in one that a build would begin: what a refresh asks again, then what has never landed. */
export function pendingOf(state: CorpusState, definition: Definition): Window[] {
  const isLeft = (window: Window) => state.landingOf(window)?.round !== state.round.round;
  const own = windowsOf(definition);
  const known = new Set(own.map(idOf));
  const bySearch = groupBy(own, ({ search }) => search.id);
  const again = new Map<string, Window>();
  for (const window of windowsAsked(definition, state.asked).flatMap((one) => [...withHalves(definition, one)])) {
    if (!isLeft(window)) continue;
    // Since the refresh began, the days may have been split otherwise.
    const others = known.has(idOf(window)) ? undefined : bySearch.get(window.search.id);
    const windows = others?.filter((one) => overlaps(one, window)) ?? [window];
    for (const one of windows.filter(isLeft)) again.set(idOf(one), one);
  }
  const never = own.filter((window) => state.landingOf(window)?.key !== window.key && !again.has(idOf(window)));
  return [...again.values(), ...never];
}

const idOf = ({ search, name }: Window) => windowId(search.id, name);

function overlaps(one: Window, other: Window): boolean {
  const begins = (a: Window, b: Window) => (a.mindate ?? "") <= (b.maxdate ?? "9999");
  return begins(one, other) && begins(other, one);
}

/** Begins a round: closes the one before, if it is open. */
export async function beginRound(state: CorpusState, day: string, asked: readonly AskedWindow[]): Promise<void> {
  const round = state.round.round + 1;
  await state.transaction(async () => {
    if (!state.round.closed) await close(state);
    await state.run(`insert into rounds values (${round}, date ${sqlValue(day)}, false)`);
    await state.insert("asked", asked);
  });
  state.round = { round, day, closed: false };
  state.asked = [...asked];
}

/** Ends the open round: dates what its windows have not found. */
export async function closeRound(state: CorpusState): Promise<void> {
  if (state.round.closed) return;
  await state.transaction(() => close(state));
  state.round = { ...state.round, closed: true };
  state.asked = [];
}

/** A window without a first or last day has all of them. */
const [FIRST, LAST] = ["date '0001-01-01'", "date '9999-12-31'"];

/** The days of each search in a query with `search`, `mindate` and `maxdate`, as ranges that do not touch. */
export function rangesOf(query: string): string {
  return `(select search, min(mindate) as mindate, max(maxdate) as maxdate from (
      select *, sum(is_new) over (partition by search order by mindate, maxdate rows unbounded preceding) as number from (
        select *, (coalesce(mindate > 1 + max(maxdate) over (partition by search order by mindate, maxdate
          rows between unbounded preceding and 1 preceding), true))::int as is_new from (${query}))) group by search, number)`;
}

async function close(state: CorpusState): Promise<void> {
  const { columns } = state;
  const { round } = state.round;
  const asked = rangesOf(`select w.search, coalesce(if(a.search is null, w.mindate, a.mindate), ${FIRST}) as mindate,
      coalesce(if(a.search is null, w.maxdate, a.maxdate), ${LAST}) as maxdate
    from windows w left join asked a on a.search = w.search and a.span = w.span where w.round = ${round}`);
  const own = `(${timeOf(columns, "m")})::date`;
  // A hit is lost if its window was asked, or its day and the days around it, as the service may count them in another time zone. There
  // are none before the first day of a search, or after the last.
  await state.run(`
    create or replace temp table lost as select h.search, h.id, m.begintime, max(x.day) as day
      from missing x join hits h on h.search = x.search and h.id = x.id join mentions m on m.id = h.id
        left join windows w on w.search = h.search and w.span = h.span join ${asked} d on d.search = h.search
        join (select search, min(coalesce(mindate, ${FIRST})) as first, max(coalesce(maxdate, ${LAST})) as last from windows group by search) s
          on s.search = h.search
          and ((w.search is not null and d.mindate <= coalesce(w.mindate, ${FIRST}) and coalesce(w.maxdate, ${LAST}) <= d.maxdate)
            or (d.mindate <= greatest(${own} - 1, s.first) and least(${own} + 1, s.last) <= d.maxdate))
      where h.vanished is null group by all;
    update hits set vanished = l.day, round = ${round} from lost l where hits.search = l.search and hits.id = l.id;
    insert or ignore into dirty select distinct ${monthOf(columns, "l")} from lost l;
    ${followHits("lost", round)}
    delete from missing; delete from asked; update rounds set closed = true where round = ${round};`);
  const gone = "select count(*)::int as n from mentions semi join lost using (id) where vanished is not null";
  state.changes.vanished += (await state.one<{ n: number }>(gone)).n;
}

/**
 * A mention has vanished when no search finds it any more, on the day of the last one.
 *
 * @param ids a table with the ids of mentions whose hits have changed
 */
export function followHits(ids: string, round: number): string {
  return `update mentions set vanished = h.day, round = ${round} from (
      select id, if(count(vanished) = count(*), max(vanished), null) as day from hits semi join ${ids} using (id) group by id) h
    where mentions.id = h.id and mentions.vanished is distinct from h.day;`;
}

/**
 * What a refresh asks again: the windows that ended within `lag` before their first response, and those that never landed. Without windows,
 * only the last days of a search are asked again, and one day more: the service may count days in another time zone.
 *
 * @param definition whose `until` is the day of the refresh
 */
export function askedByRefresh(state: CorpusState, definition: Definition, lag: number): AskedWindow[] {
  return windowsOf(definition).flatMap((window) => {
    const { search, name: span, mindate = null, maxdate = null } = window;
    const known = state.landingOf(window);
    const whole = { search: search.id, span, mindate, maxdate };
    if (known?.key !== window.key) return [whole];
    const from = addDays(known.began, -lag);
    if ((maxdate ?? known.began) < from) return [];
    const lastDays = addDays(from, -1);
    const canBeLess = definition.window === undefined && span === "all" && search.parameters.date === undefined;
    const isLess = canBeLess && (mindate === null || mindate < lastDays);
    return [isLess ? { ...whole, mindate: lastDays } : whole];
  });
}

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
  const again = windowsAsked(definition, state.asked)
    .flatMap((window) => [...withHalves(definition, window)])
    .filter((window) => state.landingOf(window)?.round !== state.round.round);
  const known = new Set(again.map(({ search, name }) => windowId(search.id, name)));
  const never = windowsOf(definition).filter(
    (window) => state.landingOf(window)?.key !== window.key && !known.has(windowId(window.search.id, window.name)),
  );
  return [...again, ...never];
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
  const { round, day } = state.round;
  const asked = rangesOf(`select w.search, coalesce(if(a.search is null, w.mindate, a.mindate), ${FIRST}) as mindate,
      coalesce(if(a.search is null, w.maxdate, a.maxdate), ${LAST}) as maxdate
    from windows w left join asked a on a.search = w.search and a.span = w.span where w.round = ${round}`);
  const own = `(${timeOf(columns, "m")})::date`;
  // A hit is lost if its window was asked, or its day: and the days around it, as the service may count them in another time zone.
  await state.run(`
    create or replace temp table lost as select distinct h.search, h.id, m.begintime
      from missing x join hits h on h.search = x.search and h.id = x.id join mentions m on m.id = h.id
        left join windows w on w.search = h.search and w.span = h.span join ${asked} d on d.search = h.search
          and ((w.search is not null and d.mindate <= coalesce(w.mindate, ${FIRST}) and coalesce(w.maxdate, ${LAST}) <= d.maxdate)
            or (d.mindate <= ${own} - 1 and ${own} + 1 <= d.maxdate))
      where h.vanished is null;
    update hits set vanished = date ${sqlValue(day)}, round = ${round} from lost l where hits.search = l.search and hits.id = l.id;
    create or replace temp table lost_mentions as select distinct id from lost anti join (from hits where vanished is null) using (id);
    insert or ignore into dirty select distinct ${monthOf(columns, "l")} from lost l;
    update mentions set vanished = date ${sqlValue(day)}, round = ${round} where vanished is null and id in (from lost_mentions);
    delete from missing; delete from asked; update rounds set closed = true where round = ${round};`);
  state.changes.vanished += (await state.one<{ n: number }>("select count(*)::int as n from lost_mentions")).n;
}

/**
 * What a refresh asks again: the windows that ended within `lag` before their first response, and those that never landed. Without windows,
 * only the last days of a search are asked again, and one day more: the service may count days in another time zone. If all of its
 * rows are from these days, it is asked again as a whole.
 *
 * @param definition whose `until` is the day of the refresh
 */
export async function askedByRefresh(state: CorpusState, definition: Definition, lag: number): Promise<AskedWindow[]> {
  const time = timeOf(state.columns, "m");
  const first =
    definition.window !== undefined
      ? []
      : await state.rows<{ search: string; day: string | null }>(
          `select h.search, min((${time})::date) as day from hits h join mentions m on m.id = h.id group by h.search`,
        );
  const earliest = new Map(first.map(({ search, day }) => [search, day]));
  return windowsOf(definition).flatMap((window) => {
    const { search, name: span, mindate = null, maxdate = null } = window;
    const known = state.landingOf(window);
    const whole = { search: search.id, span, mindate, maxdate };
    if (known?.key !== window.key) return [whole];
    const from = addDays(known.began, -lag);
    if ((maxdate ?? known.began) < from) return [];
    const lastDays = addDays(from, -1);
    const hasEarlier = (earliest.get(search.id) ?? "9999") < lastDays;
    const canBeLess = definition.window === undefined && span === "all" && search.parameters.date === undefined;
    const isLess = canBeLess && hasEarlier && (mindate === null || mindate < lastDays);
    return [isLess ? { ...whole, mindate: lastDays } : whole];
  });
}

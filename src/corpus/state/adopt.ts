import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { today } from "../definition/days.js";
import type { Definition } from "../definition/definition.js";
import { type Window, windowOf, windowsOf } from "../definition/windows.js";
import { TABLES } from "../publish/tableColumns.js";
import { filesOf, readIndex, type TableName } from "../publish/tableFiles.js";
import { monthOf } from "./columns.js";
import { type CorpusState, type LandedWindow, searchIds } from "./corpusState.js";
import { beginRound, closeRound, followHits, rangesOf } from "./rounds.js";
import { sqlRows, sqlValue } from "./sqlText.js";

/**
 * Brings the state in line with a definition that has changed: the hits of searches that it no longer has go, and mentions without a hit go.
 * A window that is new is not asked for if another search has asked the same, or earlier windows of its search have all of its days.
 */
export async function followDefinition(state: CorpusState, definition: Definition): Promise<void> {
  await removeSearches(state, definition);
  await adoptEqual(state, newWindows(state, definition));
  await adoptDays(state, newWindows(state, definition));
}

/** The windows of a definition that have not landed. */
function newWindows(state: CorpusState, definition: Definition): Window[] {
  return windowsOf(definition).filter((window) => state.landingOf(window)?.key !== window.key);
}

async function removeSearches(state: CorpusState, definition: Definition): Promise<void> {
  const known = searchIds(definition);
  const used = await state.rows<{ search: string }>(
    "select search from hits union select search from windows union select search from failures",
  );
  const gone = used.filter(({ search }) => !known.has(search)).map(({ search }) => sqlValue(search));
  if (gone.length === 0) return;
  const isGone = `search in (${gone.join(", ")})`;
  const { columns, round } = state;
  const tables = ["hits", "windows", "asked", "missing", "failures"];
  await state.transaction(() =>
    state.run(`
      create or replace temp table unfound as select distinct id from hits where ${isGone};
      insert or ignore into dirty select distinct ${monthOf(columns, "m")} from mentions m semi join unfound using (id);
      ${tables.map((table) => `delete from ${table} where ${isGone};`).join(" ")}
      delete from mentions where id not in (select id from hits);
      ${followHits("unfound", round.round)}`),
  );
  await state.load();
}

async function wanted(state: CorpusState, windows: readonly Window[]): Promise<void> {
  await state.run(
    "create or replace temp table wanted (search varchar, span varchar, key varchar, mindate date, maxdate date)",
  );
  await state.insert(
    "wanted",
    windows.map(({ search, name: span, key, mindate = null, maxdate = null }) => {
      return { search: search.id, span, key, mindate, maxdate };
    }),
  );
}

/** Windows whose requests another search has landed. */
async function adoptEqual(state: CorpusState, windows: readonly Window[]): Promise<void> {
  if (windows.length === 0) return;
  await wanted(state, windows);
  // All that a window found must still be known as found by it.
  await state.run(`
    create or replace temp table donors as select n.*, w.search as donor, w.span as donor_span, w.rows, w.reason, w.began, w.retrieved,
        w.without_id, w.repeated_ids, w.sha from wanted n join windows w on w.key = n.key where w.rows is not null
      qualify row_number() over (partition by n.search, n.span order by w.round desc, w.search) = 1;
    create or replace temp table donated as select d.search, d.span, h.id, h.first_seen from donors d
      join hits h on h.search = d.donor and h.span = d.donor_span where h.vanished is null;
    delete from donors where (select count(*) from donated where donated.search = donors.search and donated.span = donors.span) <> rows;
    delete from donated where not exists (from donors d where d.search = donated.search and d.span = donated.span);`);
  const { n } = await state.one<{ n: number }>("select count(*)::int as n from donors");
  if (n === 0) return;
  // Loaders have the last round, if it is closed.
  const isOwnRound = state.round.closed;
  if (isOwnRound) await beginRound(state, today(), []);
  const { round } = state.round;
  await state.transaction(() =>
    state.run(`
      update hits set vanished = null, span = d.span, round = ${round} from donated d
        where hits.search = d.search and hits.id = d.id;
      insert into hits by name (select search, span, id, first_seen, ${round} as round from donated anti join hits using (search, id));
      ${followHits("donated", round)}
      insert or ignore into dirty select distinct ${monthOf(state.columns, "m")} from mentions m semi join donated using (id);
      insert or replace into windows by name (select * exclude (donor, donor_span), 0 as requests, ${round} as round from donors);`),
  );
  await state.loadWindows();
  if (isOwnRound) await closeRound(state);
}

/** Windows whose days earlier windows of the same search have: its days were split otherwise. */
async function adoptDays(state: CorpusState, windows: readonly Window[]): Promise<void> {
  if (windows.length === 0 || state.landed.size === 0) return;
  await wanted(state, windows);
  await state.run(`
    create or replace temp table earlier as from windows anti join wanted using (search, span)
      where key <> '' and mindate is not null and maxdate is not null;
    insert or replace into windows by name (select n.*, 0 as requests, min(w.began) as began, min(w.retrieved) as retrieved, 0 as without_id,
        0 as repeated_ids, min(w.round) as round
      from wanted n join ${rangesOf("from earlier")} d on d.search = n.search and d.mindate <= n.mindate and n.maxdate <= d.maxdate
        join earlier w on w.search = n.search and w.mindate <= n.maxdate and w.maxdate >= n.mindate group by all);`);
  await state.loadWindows();
}

/**
 * How many hits of each window still have the name of an earlier one, because days were split otherwise: by the days of their mentions in UTC, as
 * the window that has found them is not known.
 *
 * @param windows a query of the windows of the definition
 */
export function earlierHits(windows: string): string {
  return `(select w.search, w.span, count(*)::int as earlier
    from (select h.search, m.day from hits h anti join (${windows}) using (search, span)
      join (select id, ${UTC_DAY} as day from mentions) m using (id) where h.vanished is null) h
    join (${windows}) w on w.search = h.search and day >= coalesce(w.mindate, day) and day <= coalesce(w.maxdate, day) group by all)`;
}

const UTC_DAY = "try_cast(begintime::varchar as timestamptz)::date";

/** @throws ArchiveError for a file that is no Parquet file */
async function checkTables(state: CorpusState, dir: string): Promise<void> {
  const files = [...TABLES, "runs" as const].flatMap((name) => filesOf(dir, name));
  for (const file of files)
    await state.rows(`from parquet_file_metadata(${sqlValue(join(dir, file))})`).catch((cause) => {
      const hint = "Delete it: what the tables lack is asked again.";
      throw new ArchiveError(`${join(dir, file)} is damaged.`, { code: "FILE_ERROR", hint, path: file, cause });
    });
}

/**
 * Makes the state of a corpus from its published tables: all but journals, and what an open round has asked again.
 *
 * @returns whether there were tables
 */
export async function restoreState(state: CorpusState, definition: Definition): Promise<boolean> {
  const { dir } = state;
  const source = (name: TableName) => {
    const files = filesOf(dir, name).map((path) => sqlValue(join(dir, path)));
    return files.length === 0
      ? undefined
      : `read_parquet([${files.join(", ")}], union_by_name = true, hive_partitioning = false)`;
  };
  await checkTables(state, dir);
  const [mentions, hits, searches, runs] = (["mentions", "hits", "searches", "runs"] as const).map(source);
  const landedRows = `from ${searches} where retrieved is not null`;
  if (searches === undefined || (await state.rows(`${landedRows} limit 1`)).length === 0) return false;
  await state.transaction(async () => {
    if (mentions !== undefined && hits !== undefined)
      await state.run(`create or replace table mentions as from ${mentions};
      insert into hits by name (select search, span, id, first_seen, vanished, round from ${hits});
      delete from hits where id not in (select id from mentions);
      delete from mentions where id not in (select id from hits);`);
    for (const name of ["people", "programs"] as const) {
      const table = source(name);
      if (table !== undefined) await state.run(`create or replace table ${name} as from ${table}`);
    }
    const rows = await state.rows<Omit<LandedWindow, "key" | "sha"> & Readonly<Record<"hits" | "earlier", number>>>(
      `select search, span, mindate, maxdate, rows::int as rows, reason, requests::int as requests, began, retrieved,
        without_id::int as without_id, repeated_ids::int as repeated_ids, round::int as round,
        coalesce(n, 0) as hits, coalesce(earlier, 0) as earlier
      from (${landedRows}) left join (select search, span, count(*)::int as n from hits where vanished is null group by all) using (search, span)
        left join ${earlierHits(`from ${searches}`)} using (search, span)`,
    );
    const byId = new Map(definition.searches.map((search) => [search.id, search]));
    const landed = rows.flatMap(({ hits: live, earlier, ...row }) => {
      const search = byId.get(row.search);
      if (search === undefined) return [];
      const { key } = windowOf(search, row.span, row.mindate ?? undefined, row.maxdate ?? undefined);
      // Other hits than its rows: files are missing, or the round had not ended that dates what is gone. It is asked again.
      const isExact = live === row.rows;
      const isKnown = isExact || live + earlier === row.rows;
      return [{ ...row, rows: isExact ? row.rows : null, key: isKnown ? key : "", sha: null }];
    });
    await state.insert("windows", landed);
    // Windows that were split otherwise since: about the days of their hits, as the service may count days in another time zone.
    const bounds = definition.searches.map(({ id: search, parameters: { date, mindate = date, maxdate = date } }) => {
      return { search, mindate: mindate ?? null, maxdate: maxdate ?? null };
    });
    await state.run(`insert into windows by name (
      select h.search, h.span, '' as key, greatest(min(day) - 1, any_value(b.mindate::date)) as mindate,
        least(max(day) + 1, any_value(b.maxdate::date)) as maxdate, 0 as requests, min(first_seen) as began, max(first_seen) as retrieved,
        0 as without_id, 0 as repeated_ids, 0 as round
      from hits h join (select id, ${UTC_DAY} as day from mentions) using (id)
        join ${sqlRows(bounds)} b using (search) anti join windows o on o.search = h.search and o.span = h.span group by h.search, h.span)`);
    const index = readIndex(dir);
    await state.insert("failures", index?.failed ?? []);
    const last = Math.max(index?.round ?? 0, ...landed.map(({ round }) => round));
    await state.run(
      `delete from rounds; insert into rounds select ${last}, coalesce(max(retrieved), current_date), true from windows`,
    );
    if (runs !== undefined) await state.run(`insert into runs by name (from ${runs})`);
  });
  await state.load();
  return true;
}

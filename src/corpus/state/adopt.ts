import type { Definition } from "../definition/definition.js";
import { type Window, windowId, windowsOf } from "../definition/windows.js";
import { type FileColumn, OWN_COLUMNS } from "./columns.js";
import { type CorpusState, type LandedWindow, searchIds, windowRow } from "./corpusState.js";
import { monthOf } from "./month.js";
import { isCovered, joined } from "./rounds.js";
import { literal } from "./sqlText.js";

/**
 * Brings the state in line with a definition that has changed: the hits of searches that it no longer has go, and mentions without a hit go.
 * A window that is new is not asked for if another search has asked the same, or earlier windows of its search have all of its days.
 */
export async function followDefinition(state: CorpusState, definition: Definition): Promise<void> {
  await removeSearches(state, definition);
  await adopt(state, newWindows(state, definition), "main");
  await adoptDays(state, newWindows(state, definition));
}

/** The windows of a definition that have not landed. */
export function newWindows({ landed }: CorpusState, definition: Definition): Window[] {
  return windowsOf(definition).filter(({ search, name, key }) => landed.get(windowId(search.id, name))?.key !== key);
}

async function removeSearches(state: CorpusState, definition: Definition): Promise<void> {
  const { database, landed, columns } = state;
  const known = searchIds(definition);
  const used = await database.rows<{ search: string }>(
    "select distinct search from hits union select distinct search from windows",
  );
  const gone = used.filter(({ search }) => !known.has(search)).map(({ search }) => literal(search));
  if (gone.length === 0) return;
  const isGone = `search in (${gone.join(", ")})`;
  await database.transaction(() =>
    database.run(`
      insert or ignore into dirty select distinct ${monthOf(columns, "m")} from mentions m semi join (from hits where ${isGone}) using (id);
      delete from hits where ${isGone};
      delete from windows where ${isGone};
      delete from asked where ${isGone};
      delete from missing where ${isGone};
      delete from failures where ${isGone};
      delete from mentions where id not in (select id from hits);`),
  );
  for (const [name, { search }] of landed) if (!known.has(search)) landed.delete(name);
  state.asked = state.asked.filter(({ search }) => known.has(search));
}

/**
 * Takes over windows that have landed elsewhere with the same request: of another search, or of another corpus.
 *
 * @param schema the schema of the database with the windows and hits to take over
 * @returns how many were taken over
 */
export async function adopt(state: CorpusState, windows: readonly Window[], schema: "main" | "other"): Promise<number> {
  const { database, columns } = state;
  if (windows.length === 0) return 0;
  await database.run("create or replace temp table wanted (search varchar, span varchar, key varchar)");
  await database.insert(
    "wanted",
    windows.map(({ search, name, key }) => [search.id, name, key]),
  );
  // All that a window found must still be known as found by it.
  await database.run(`
    create or replace temp table donors as select n.search, n.span, w.search as donor, w.span as donor_span, w.rows, w.reason, w.began, w.retrieved,
        w.without_id, w.repeated_ids, w.sha from wanted n join ${schema}.windows w on w.key = n.key where w.rows is not null
      qualify row_number() over (partition by n.search, n.span order by w.round desc, w.search) = 1;
    create or replace temp table donated as select d.search, d.span, h.id, h.first_seen from donors d
      join ${schema}.hits h on h.search = d.donor and h.span = d.donor_span where h.vanished is null;
    delete from donors where (select count(*) from donated where donated.search = donors.search and donated.span = donors.span) <> rows;
    delete from donated where not exists (from donors d where d.search = donated.search and d.span = donated.span);`);
  const donors = await database.rows<Record<string, string | null>>(
    `select search, span, rows::int as rows, reason, began::varchar as began, retrieved::varchar as retrieved, without_id::int as "withoutId",
      repeated_ids::int as "repeatedIds", sha from donors`,
  );
  const byName = new Map(windows.map((window) => [windowId(window.search.id, window.name), window]));
  const round = state.round?.round ?? 0;
  const landed = donors.map((donor) => {
    const {
      key,
      mindate = null,
      maxdate = null,
    } = byName.get(windowId(String(donor.search), String(donor.span))) as Window;
    return { ...donor, key, mindate, maxdate, requests: 0, round } as unknown as LandedWindow;
  });
  await database.transaction(async () => {
    if (schema === "other") await takeMentions(state);
    await database.run(`
      update hits set vanished = null, span = d.span, round = ${round} from donated d
        where hits.search = d.search and hits.id = d.id and hits.vanished is not null;
      insert into hits by name (select search, span, id, first_seen, ${round} as round from donated anti join hits using (search, id));
      insert or ignore into dirty select distinct ${monthOf(columns, "m")} from mentions m semi join donated using (id);
      delete from windows using donors d where windows.search = d.search and windows.span = d.span;`);
    await database.insert("windows", landed.map(windowRow));
  });
  for (const window of landed) state.landed.set(windowId(window.search, window.span), window);
  return landed.length;
}

/** The mentions of another corpus, and the people and programs that it has looked up, unless this one has them. */
async function takeMentions({ database, columns, round }: CorpusState): Promise<void> {
  const tables = "select table_name as name from duckdb_tables() where schema_name";
  const theirs = await database.rows<FileColumn>(
    "select column_name as name, data_type as type from duckdb_columns() where schema_name = 'other' and table_name = 'mentions'",
  );
  const own = new Set<string>(OWN_COLUMNS);
  await columns.widen(
    database,
    theirs.filter(({ name }) => !own.has(name)),
  );
  await database.run(`insert into mentions by name (select * replace (${round?.round ?? 0} as round)
    from other.mentions semi join donated using (id) anti join mentions m using (id))`);
  const [known, other] = await Promise.all(
    ["main", "other"].map(async (schema) =>
      (await database.rows<{ name: string }>(`${tables} = '${schema}'`)).map(({ name }) => name),
    ),
  );
  for (const name of ["people", "programs"]) {
    if (!other?.includes(name)) continue;
    const ids = name === "people" ? "personid" : "programid";
    const needed = `from other.${name} where id::varchar in (select ${ids}::varchar from mentions)`;
    await database.run(
      known?.includes(name)
        ? `create or replace table main.${name} as (from main.${name} union all by name (${needed} and id::varchar not in (select id::varchar from main.${name})))`
        : `create table main.${name} as (${needed})`,
    );
  }
}

/** Windows whose days earlier windows of the same search have: its days were split otherwise. */
async function adoptDays(state: CorpusState, windows: readonly Window[]): Promise<void> {
  const bySearch = new Map<string, LandedWindow[]>();
  for (const window of state.landed.values())
    bySearch.set(window.search, [...(bySearch.get(window.search) ?? []), window]);
  const landed = windows.flatMap(({ search, name, key, mindate = null, maxdate = null }): LandedWindow[] => {
    const own = (bySearch.get(search.id) ?? []).filter(
      (one) => one.mindate !== null && one.maxdate !== null && one.span !== name,
    );
    if (mindate === null || maxdate === null) return [];
    if (!isCovered(joined(own.map((one) => [one.mindate as string, one.maxdate as string])), mindate, maxdate))
      return [];
    const parts = own.filter((one) => (one.mindate as string) <= maxdate && (one.maxdate as string) >= mindate);
    const first = (values: string[]) => values.sort()[0] as string;
    const [began, retrieved] = [first(parts.map((one) => one.began)), first(parts.map((one) => one.retrieved))];
    const round = Math.min(...parts.map((one) => one.round));
    const none = { rows: null, reason: null, requests: 0, withoutId: 0, repeatedIds: 0, sha: null };
    return [{ search: search.id, span: name, key, mindate, maxdate, began, retrieved, round, ...none }];
  });
  if (landed.length === 0) return;
  await state.database.insert("windows", landed.map(windowRow));
  for (const window of landed) state.landed.set(windowId(window.search, window.span), window);
}

import { type Window, windowId } from "../definition/windows.js";
import { type FileColumn, monthsOf, timeOf } from "./columns.js";
import type { CorpusState, LandedWindow } from "./corpusState.js";
import { nameOddRows } from "./oddRows.js";
import { identifier, sqlRows, sqlValue } from "./sqlText.js";

/** A Parquet file of rows. Its columns are numbered: `c0`, `c1`, …, and a last one `place`, if it has those of several readings. */
export interface RowsFile {
  readonly path: string;
  readonly columns: readonly FileColumn[];
  /** The readings with its rows, by place. */
  readonly readings: ReadonlyArray<{ readonly window: Fetched; readonly reading: number }>;
}

/** A window that was fetched, with all searches that ask the same. */
export interface Fetched {
  /** The request. */
  readonly window: Window;
  /** Searches that send it, each with its whole window: of one without windows, a refresh may ask for the last days only. */
  readonly uses: readonly Window[];
  readonly rows: number;
  readonly requests: number;
  readonly repeatedIds: number;
  readonly reason: string | null;
  /** Days of the first and the last response, by the clock of the service. */
  readonly began: string;
  readonly retrieved: string;
  readonly sha: string | null;
}

/** Whether a window has the rows that it had when it landed before. */
export function isUnchanged(state: CorpusState, { uses, sha }: Fetched): boolean {
  return sha !== null && uses.every((use) => state.landingOf(use)?.sha === sha);
}

/**
 * Lands windows in one transaction: their mentions and hits, with the days on which they were found.
 *
 * @param fresh windows in the order of their responses
 * @param files their rows
 * @param unchanged windows that have the rows of the last time
 */
export async function landWindows(
  state: CorpusState,
  fresh: readonly Fetched[],
  files: readonly RowsFile[],
  unchanged: readonly Fetched[],
): Promise<void> {
  let counts = { added: 0, returned: 0 };
  await state.transaction(async () => {
    if (fresh.length === 0) return recordWindows(state, unchanged);
    const withoutId = await readBatch(state, fresh, files);
    counts = await land(state);
    await recordWindows(state, [...fresh, ...unchanged], withoutId);
    await forgetDisagreeing(state);
    await state.run("drop table batch; drop table merged;");
  });
  await state.trimMemory();
  state.changes.added += counts.added;
  state.changes.returned += counts.returned;
}

/** Reads the rows into a table `batch`, one for each of a window, with its place. Returns the rows without id, by place. */
async function readBatch(
  state: CorpusState,
  fresh: readonly Fetched[],
  files: readonly RowsFile[],
): Promise<ReadonlyMap<number, number>> {
  const { columns } = state;
  await columns.widen(files.flatMap((file) => file.columns));
  const places = new Map(fresh.map((window, place) => [window, place]));
  const selects = files.map(({ path, columns: own, readings }) => {
    const pick = (of: readonly unknown[]) =>
      of.length === 1 ? `${of[0]}` : `list_extract([${of.join(", ")}], place + 1)`;
    const place = pick(readings.map(({ window }) => places.get(window)));
    const reading = pick(readings.map((one) => one.reading));
    return `select ${place} as batch_place, ${reading} as batch_reading, ${columns.cellsOf(own)} from read_parquet(${sqlValue(path)})`;
  });
  const none = `select 0 as batch_place, 1 as batch_reading, ${columns.cellsOf([])} limit 0`;
  const days = fresh.map(({ retrieved: day }, place) => ({ place, day }));
  const uses = fresh.flatMap(({ uses, retrieved: day, window: { mindate = null, maxdate = null } }, place) =>
    uses.map(({ search, name: span }) => ({ place, day, search: search.id, span, mindate, maxdate })),
  );
  await state.run(`
    create or replace temp table asking as select place, day::date as day from ${sqlRows(days)};
    create or replace temp table uses as select * replace (day::date as day, mindate::date as mindate, maxdate::date as maxdate)
      from ${sqlRows(uses)};
    create or replace temp table batch as select r.*, a.day as batch_day, ${contentOf(state, "r")} as batch_content, ${othersOf(state, "r")} as batch_others
      from (${selects.join(" union all ") || `(${none})`}) r join asking a on a.place = r.batch_place;`);
  // A mention that several readings of a window have found is that of the last one.
  if (files.some(({ readings }) => readings.some(({ reading }) => reading > 1)))
    await state.run(`delete from batch b using (select batch_place as place, id, max(batch_reading) as reading from batch group by all) l
      where b.batch_place = l.place and b.id is not distinct from l.id and b.batch_reading < l.reading`);
  return nameOddRows(
    state,
    fresh.some(({ repeatedIds }) => repeatedIds > 0),
  );
}

/** The declared columns that say whether a mention has changed, hashed. */
export function contentOf({ columns }: CorpusState, table: string): string {
  return hashOf(
    columns.declared.filter((name) => name !== "id"),
    table,
  );
}

/** The columns that say nothing of a change, hashed. */
function othersOf({ columns }: CorpusState, table: string): string {
  const others = columns.names.filter((name) => !columns.declared.includes(name));
  return others.length === 0 ? "0" : hashOf(others, table);
}

function hashOf(columns: readonly string[], table: string): string {
  return `hash(${columns.map((name) => `${table}.${identifier(name)}`).join(", ")})`;
}

/** Brings mentions and hits up to the rows in `batch`. */
async function land(state: CorpusState): Promise<{ readonly added: number; readonly returned: number }> {
  const { columns } = state;
  const { round } = state.round;
  const all = columns.names.filter((name) => name !== "id").map(identifier);
  // Wide rows stay in `batch`. Without known ids, the columns of `mentions` are not read.
  await state.run(`
    create or replace temp table merged as
      with latest as materialized (select id, arg_max(rowid, batch_place) as row, arg_max(batch_content, batch_place) as content,
        arg_max(batch_others, batch_place) as others, min(batch_day) as first_day, min(batch_content) <> max(batch_content) as has_others from batch group by id)
      select l.*, coalesce(c.day, l.first_day) as content_day, m.content as old_content, m.vanished is not null as came_back, m.begintime,
        case when m.id is null then 'added' when m.content <> l.content then 'changed' when m.vanished is not null then 'returned'
          when l.has_others or m.others <> l.others then 'other' else 'same' end as change
      from latest l left join (select id, batch_content as content, min(batch_day) as day from batch
        semi join (from latest where has_others) using (id) group by all) c on c.id = l.id and c.content = l.content
      left join (select m.id, m.vanished, ${contentOf(state, "m")} as content, ${othersOf(state, "m")} as others, m.begintime
        from mentions m join (select rowid as row from mentions semi join latest using (id)) k on k.row = m.rowid) m on m.id = l.id;
    create or replace temp table found as select search, b.id, arg_max(u.span, b.batch_place) as span, min(b.batch_day) as day
      from batch b join uses u on u.place = b.batch_place group by search, b.id;`);
  const counts = await state.one<{ added: number; returned: number; edited: number }>(
    `select count(*) filter (change = 'added')::int as added, count(*) filter (came_back)::int as returned,
      count(*) filter (change not in ('added', 'same'))::int as edited from merged`,
  );
  if (counts.edited > 0)
    await state.run(`
      insert or ignore into before select id, old_content from merged where change = 'changed';
      update mentions m set ${all.map((name) => `${name} = b.${name}`).join(", ")}, vanished = null, round = ${round},
          changed = case when g.change = 'changed' or g.has_others then g.content_day else m.changed end
        from batch b join merged g on g.row = b.rowid where m.id = b.id and g.change not in ('added', 'same');`);
  if (counts.added > 0)
    await state.run(`insert into mentions by name (select b.id, ${all.map((name) => `b.${name}`).join(", ")}, g.first_day as first_seen,
        case when g.has_others then g.content_day end as changed, ${round} as round
      from batch b join merged g on g.row = b.rowid where g.change = 'added')`);
  await noteMissing(state);
  await state.run(`
    create or replace temp table moved as
      with known as materialized (select h.search, h.id, h.span, h.vanished from hits h
        semi join (select distinct search from uses) u on u.search = h.search semi join found f on f.id = h.id and f.search = h.search)
      select f.*, k.id is null as is_new from found f left join known k on k.search = f.search and k.id = f.id
      where k.id is null or k.vanished is not null or k.span <> f.span;
    update hits set vanished = null, span = v.span, round = ${round} from moved v where not v.is_new and hits.search = v.search and hits.id = v.id;
    insert into hits by name (select search, span, id, day as first_seen, ${round} as round from moved where is_new);
    insert or ignore into dirty
      ${monthsOf(columns, "batch r join merged g on g.row = r.rowid where g.change <> 'same' or g.id in (select id from moved)")}
      union ${monthsOf(columns, "merged r where change not in ('added', 'same')")};`);
  return counts;
}

/** The earlier windows of the searches `u` with their days, and whether it has all days of one, or some. */
const EARLIER = `select u.* exclude (span), w.span, w.mindate as first, w.maxdate as last,
    coalesce((u.mindate is null or w.mindate >= u.mindate) and (u.maxdate is null or w.maxdate <= u.maxdate), false) as is_whole
  from uses u join windows w on w.search = u.search and (w.span = u.span or
    ((u.mindate is null or w.maxdate is null or w.maxdate >= u.mindate) and (u.maxdate is null or w.mindate is null or w.mindate <= u.maxdate)))`;

/** Notes which hits a window has not found again, and strikes out those that are found. The end of the round dates them, unless another window finds them. */
async function noteMissing(state: CorpusState): Promise<void> {
  await state.run(`create or replace temp table earlier as ${EARLIER}`);
  const { whole, part, missed } = await state.one<Readonly<Record<"whole" | "part" | "missed", number>>>(
    `select count(*) filter (is_whole)::int as whole, count(*) filter (not is_whole)::int as part,
      (select count(*)::int from missing) as missed from earlier`,
  );
  if (missed > 0)
    await state.run("delete from missing using found f where missing.search = f.search and missing.id = f.id");
  const note = (mentions: string, where: string) =>
    state.run(`insert or replace into missing select h.search, h.id, max(e.day) from hits h
      join earlier e on e.search = h.search and e.span = h.span ${mentions} anti join found f on f.search = h.search and f.id = h.id
      where h.vanished is null and ${where} group by all`);
  if (whole > 0) await note("", "e.is_whole");
  // The service may count days in another time zone. A mention may have moved to days that no window of the search has.
  const day = `(${timeOf(state.columns, "m")})::date`;
  if (part > 0)
    await note(
      "join mentions m on m.id = h.id",
      `not e.is_whole and (${day} >= coalesce(e.mindate - 1, ${day}) and ${day} <= coalesce(e.maxdate + 1, ${day})
        or ${day} < e.first - 1 or ${day} > e.last + 1)`,
    );
}

/** Windows that have found a mention with another content may find it again without any other change: they are not compared with their last landing. */
async function forgetDisagreeing(state: CorpusState): Promise<void> {
  const windows = await state.rows<{ search: string; span: string }>(`
    with other as (select id from merged where change = 'changed' union select id from merged where has_others),
      several as (select id from hits semi join other using (id) where vanished is null group by id having count(*) > 1)
    select distinct search, span from hits semi join several using (id) where vanished is null`);
  for (const { search, span } of windows) {
    const known = state.landed.get(windowId(search, span));
    if (known === undefined) continue;
    state.landed.set(windowId(search, span), { ...known, sha: null });
    await state.run(`update windows set sha = null where search = ${sqlValue(search)} and span = ${sqlValue(span)}`);
  }
}

/** Records that windows have landed. */
async function recordWindows(
  state: CorpusState,
  windows: readonly Fetched[],
  withoutId: ReadonlyMap<number, number> = new Map(),
): Promise<void> {
  const { round } = state.round;
  const landed = windows.flatMap(({ window, uses, rows, repeatedIds, sha, ...rest }, place): LandedWindow[] =>
    uses.map((whole) => {
      const { reason, requests, began, retrieved } = rest;
      const isTrimmed = whole.key !== window.key;
      const isSame = isUnchanged(state, windows[place] as Fetched);
      return {
        search: whole.search.id,
        span: whole.name,
        key: whole.key,
        mindate: whole.mindate ?? null,
        maxdate: whole.maxdate ?? null,
        rows: isTrimmed ? null : rows,
        reason,
        requests,
        began,
        retrieved,
        round,
        repeated_ids: repeatedIds,
        sha: isTrimmed ? null : sha,
        without_id: isSame ? (state.landingOf(whole)?.without_id ?? 0) : (withoutId.get(place) ?? 0),
      };
    }),
  );
  await state.insert("windows", landed, "insert or replace");
  for (const window of landed) state.landed.set(windowId(window.search, window.span), window);
}

/**
 * Whether hits of earlier readings are not among the rows of later ones.
 *
 * @param uses windows with the same request
 * @param files their rows, which have not landed
 */
export async function misses(
  state: CorpusState,
  uses: readonly Window[],
  files: ReadonlyArray<Omit<RowsFile, "readings">>,
): Promise<boolean> {
  const found = files.flatMap(({ path, columns }) => {
    const at = columns.findIndex(({ name }) => name === "id");
    return at < 0 ? [] : [`select c${at}::varchar as id from read_parquet(${sqlValue(path)})`];
  });
  const asked = uses.map(({ search, name: span, mindate = null, maxdate = null }) => {
    return { search: search.id, span, mindate, maxdate };
  });
  const day = `(${timeOf(state.columns, "m")})::date`;
  const { n } = await state.one<{ n: number }>(`
    with uses as (select search, span, mindate::date as mindate, maxdate::date as maxdate from ${sqlRows(asked)}),
      e as (${EARLIER}), found as (${found.join(" union all ") || "select null::varchar as id limit 0"})
    select count(*)::int as n from hits h join e on e.search = h.search and e.span = h.span join mentions m on m.id = h.id
      where h.vanished is null and not starts_with(h.id, 'sha256:') and regexp_replace(h.id, '#\\d+$', '') not in (select id from found where id is not null)
        and (e.is_whole or (${day} > coalesce(e.mindate, ${day} - 1) and ${day} < coalesce(e.maxdate, ${day} + 1)))`);
  return n > 0;
}

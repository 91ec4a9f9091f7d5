import { type Window, windowId } from "../definition/windows.js";
import { converted, DECLARED, type FileColumn } from "./columns.js";
import { type CorpusState, type LandedWindow, windowRow } from "./corpusState.js";
import { monthOf, timeOf } from "./month.js";
import { nameOddRows } from "./oddRows.js";
import { identifier, literal, tuples } from "./sqlText.js";

/** A Parquet file of rows. Its columns are numbered: `c0`, `c1`, …, and a last one `place`, if it has the rows of several windows. */
export interface RowsFile {
  readonly path: string;
  readonly columns: readonly FileColumn[];
  /** The windows of its rows, by place; each of `place`, or a single one. */
  readonly windows: readonly Fetched[];
  /** Which reading of its window it is, if there were several. */
  readonly reading?: number;
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

/** A batch of windows. */
export interface Batch {
  /** Windows that have the rows of the last time. */
  readonly unchanged: readonly Fetched[];
  /** All others, in the order of their responses. */
  readonly fresh: readonly Fetched[];
  /** Their rows. */
  readonly files: readonly RowsFile[];
}

/** Lands windows in one transaction: their mentions and hits, with the days on which they were found. */
export async function landWindows(state: CorpusState, { unchanged, fresh, files }: Batch): Promise<void> {
  const { database } = state;
  const changes = { added: 0, returned: 0 };
  let withoutId: ReadonlyMap<number, number> = new Map();
  await database.transaction(async () => {
    if (fresh.length > 0) {
      withoutId = await readBatch(state, fresh, files);
      Object.assign(changes, await land(state));
    }
    const disagreeing = fresh.length > 0 ? await disagreeingWindows(state) : [];
    await recordWindows(state, fresh, unchanged, withoutId);
    for (const { search, span } of disagreeing) await forgetRows(state, search, span);
  });
  state.changes.added += changes.added;
  state.changes.returned += changes.returned;
}

/** Reads the rows into a table `batch`: one row for each of a window, with its place. */
async function readBatch(
  state: CorpusState,
  fresh: readonly Fetched[],
  files: readonly RowsFile[],
): Promise<ReadonlyMap<number, number>> {
  const { database, columns } = state;
  const others = files.flatMap((file) => file.columns);
  if (await columns.widen(database, others)) await allMonthsAreDirty(state);
  const selects = files.map(({ path, columns: own, windows, reading = 1 }) => {
    const sent = new Map(
      own.map(({ name, type }, at) => [
        columns.nameOf(name),
        converted(`c${at}`, type, columns.typeOf(columns.nameOf(name))),
      ]),
    );
    const cells = columns.names.map(
      (name) => `${sent.get(name) ?? `null::${columns.typeOf(name)}`} as ${identifier(name)}`,
    );
    const places = windows.map((window) => fresh.indexOf(window));
    const place = windows.length === 1 ? `${places[0]}` : `list_extract([${places.join(", ")}], place + 1)`;
    return `select ${place} as place, ${reading} as reading, ${cells.join(", ")} from read_parquet(${literal(path)})`;
  });
  const empty = `select 0 as place, 1 as reading, ${columns.names.map((name) => `null::${columns.typeOf(name)} as ${identifier(name)}`).join(", ")} limit 0`;
  const days = fresh.map(({ retrieved }, place) => [place, retrieved]);
  await database.run(`
    create or replace temp table asking as select place, day::date as day from (values ${tuples(days)}) t(place, day);
    create or replace temp table uses as select place, search, span, mindate::date as mindate, maxdate::date as maxdate
      from (values ${tuples(fresh.flatMap(({ uses, window }, place) => uses.map(({ search, name }) => [place, search.id, name, window.mindate ?? null, window.maxdate ?? null])))})
      t(place, search, span, mindate, maxdate);
    create or replace temp table batch as select r.*, a.day from (${selects.join(" union all ") || `(${empty})`}) r join asking a using (place);`);
  // A mention that several readings of a window have found is that of the last one.
  if (files.some(({ reading = 1 }) => reading > 1))
    await database.run(`delete from batch b using (select place, id, max(reading) as reading from batch group by place, id) l
      where b.place = l.place and b.id is not distinct from l.id and b.reading < l.reading`);
  return nameOddRows(state, fresh);
}

const HASH = (columns: readonly string[], table: string) =>
  `hash(${columns.map((name) => `${table}.${identifier(name)}`).join(", ")})`;

/** Brings mentions and hits up to the rows in `batch`. */
async function land(state: CorpusState): Promise<Pick<CorpusState["changes"], "added" | "returned">> {
  const { database, columns } = state;
  const round = state.round?.round ?? 0;
  const content = [...DECLARED.keys()].filter((name) => name !== "id");
  const others = columns.names.filter((name) => !DECLARED.has(name));
  const all = [...content, ...others];
  const other = others.length === 0 ? "false" : `${HASH(others, "m")} is distinct from ${HASH(others, "b")}`;
  await database.run(`
    create or replace temp table newest as select *, min(day) over (partition by id) as first_day,
      min(day) over (partition by id, ${HASH(content, "batch")}) as content_day,
      min(${HASH(content, "batch")}) over (partition by id) <> max(${HASH(content, "batch")}) over (partition by id) as has_others from batch qualify row_number() over (partition by id order by place desc) = 1;
    create or replace temp table merged as select b.id, b.day, ${HASH(content, "m")} as content, m.vanished is not null as came_back,
        ${monthOf(columns, "m")} as old_month, ${monthOf(columns, "b")} as month,
        case when m.id is null then 'added' when ${HASH(content, "m")} <> ${HASH(content, "b")} then 'changed' when m.vanished is not null then 'returned'
          when b.has_others or ${other} then 'other' else 'same' end as change
      from newest b left join (select * from mentions semi join newest using (id)) m using (id);
    create or replace temp table found as select search, b.id, arg_max(u.span, b.place) as span, min(b.day) as day
      from batch b join uses u using (place) group by search, b.id;
    create or replace temp table known as select h.search, h.id, h.span, h.vanished from hits h
      semi join (select distinct search from uses) u on u.search = h.search semi join found f on f.id = h.id and f.search = h.search;`);
  const counts = await database.one<{ added: number; returned: number; edited: number }>(
    `select count(*) filter (change = 'added')::int as added, count(*) filter (came_back)::int as returned,
      count(*) filter (change not in ('added', 'same'))::int as edited from merged`,
  );
  if (counts.edited > 0)
    await database.run(`
      insert or ignore into before select id, content from merged where change = 'changed';
      update mentions m set ${all.map((name) => `${identifier(name)} = b.${identifier(name)}`).join(", ")}, vanished = null, round = ${round},
          changed = case when g.change = 'changed' or b.has_others then b.content_day else m.changed end
        from newest b join merged g using (id) where m.id = b.id and g.change not in ('added', 'same');`);
  if (counts.added > 0)
    await database.run(`insert into mentions by name (select b.id, ${all.map((name) => `b.${identifier(name)}`).join(", ")}, b.first_day as first_seen, case when b.has_others then b.content_day end as changed, ${round} as round
      from newest b semi join (from merged where change = 'added') using (id))`);
  await noteMissing(state);
  await database.run(`
    delete from missing using found f where missing.search = f.search and missing.id = f.id;
    create or replace temp table moved as select f.*, k.id is null as is_new from found f left join known k on k.search = f.search and k.id = f.id
      where k.id is null or k.vanished is not null or k.span <> f.span;
    update hits set vanished = null, span = v.span, round = ${round} from moved v where not v.is_new and hits.search = v.search and hits.id = v.id;
    insert into hits by name (select search, span, id, day as first_seen, ${round} as round from moved where is_new);
    insert or ignore into dirty select month from merged g where change <> 'same' or id in (select id from moved)
      union select old_month from merged where change not in ('added', 'same');`);
  return counts;
}

/** Notes which hits a window has not found again. The end of the round dates them, unless another window finds them. */
async function noteMissing({ database, columns }: CorpusState): Promise<void> {
  await database.run(`create or replace temp table earlier as select u.search, u.mindate, u.maxdate, w.span, (${COVERS}) as is_whole
    from uses u join windows w on w.search = u.search and (w.span = u.span or (${OVERLAPS}))`);
  const { whole, part } = await database.one<{ whole: number; part: number }>(
    "select count(*) filter (is_whole)::int as whole, count(*) filter (not is_whole)::int as part from earlier",
  );
  const absent = (
    from: string,
    where: string,
  ) => `insert or ignore into missing select distinct h.search, h.id from hits h
    join earlier e on e.search = h.search and e.span = h.span ${from} anti join found f on f.search = h.search and f.id = h.id
    where h.vanished is null and ${where}`;
  if (whole > 0) await database.run(absent("", "e.is_whole"));
  // The service may count days in another time zone.
  const day = `(${timeOf(columns, "m")})::date`;
  if (part > 0)
    await database.run(
      absent(
        "join mentions m on m.id = h.id",
        `not e.is_whole and ${day} >= coalesce(e.mindate - 1, ${day}) and ${day} <= coalesce(e.maxdate + 1, ${day})`,
      ),
    );
}

/** The windows that have found a mention with another content than the present one: they may find it again without any other change. */
function disagreeingWindows({ database }: CorpusState): Promise<Array<{ search: string; span: string }>> {
  return database.rows(`with other as (select id from merged where change = 'changed' union select id from newest where has_others),
      several as (select id from hits semi join other using (id) where vanished is null group by id having count(*) > 1)
    select distinct search, span from hits semi join several using (id) where vanished is null`);
}

/** The next landing of a window is not compared with its last one. */
async function forgetRows({ database, landed }: CorpusState, search: string, span: string): Promise<void> {
  const known = landed.get(windowId(search, span));
  if (known === undefined) return;
  landed.set(windowId(search, span), { ...known, sha: null });
  await database.run(`update windows set sha = null where search = ${literal(search)} and span = ${literal(span)}`);
}

/** Records that windows have landed. */
async function recordWindows(
  state: CorpusState,
  fresh: readonly Fetched[],
  unchanged: readonly Fetched[],
  withoutId: ReadonlyMap<number, number>,
): Promise<void> {
  const { database } = state;
  const round = state.round?.round ?? 0;
  const landed = [...fresh, ...unchanged].flatMap((fetched, place): LandedWindow[] => {
    const { window, uses, requests, repeatedIds, reason, began, retrieved, sha } = fetched;
    return uses.map((whole) => {
      const known = state.landingOf(whole);
      const isTrimmed = whole.key !== window.key;
      return {
        search: whole.search.id,
        span: whole.name,
        key: whole.key,
        mindate: whole.mindate ?? null,
        maxdate: whole.maxdate ?? null,
        rows: isTrimmed ? null : fetched.rows,
        ...{ reason, requests, began, retrieved, round },
        withoutId: place < fresh.length ? (withoutId.get(place) ?? 0) : (known?.withoutId ?? 0),
        repeatedIds,
        sha: isTrimmed ? null : sha,
      };
    });
  });
  const names = landed.map(({ search, span }) => [search, span]);
  await database.run(`create or replace temp table landing (search varchar, span varchar)`);
  await database.insert("landing", names);
  await database.run("delete from windows using landing l where windows.search = l.search and windows.span = l.span");
  await database.insert("windows", landed.map(windowRow));
  for (const window of landed) state.landed.set(windowId(window.search, window.span), window);
}

/** Publishes all months again: all files of mentions have the same columns. */
export async function allMonthsAreDirty({ database, columns }: CorpusState): Promise<void> {
  await database.run(`insert or ignore into dirty select distinct ${monthOf(columns, "m")} from mentions m`);
}

/**
 * How many hits of earlier readings are not among the rows of later ones.
 *
 * @param uses windows with the same request
 * @param files their rows, which have not landed
 */
export async function absentHits(
  { database, columns }: CorpusState,
  uses: readonly Window[],
  files: ReadonlyArray<Omit<RowsFile, "windows">>,
): Promise<number> {
  const found = files.flatMap(({ path, columns: own }) => {
    const at = own.findIndex(({ name }) => name === "id");
    return at < 0 ? [] : [`select c${at}::varchar as id from read_parquet(${literal(path)})`];
  });
  const asked = uses.map(({ search, name, mindate, maxdate }) => [search.id, name, mindate ?? null, maxdate ?? null]);
  const day = `(${timeOf(columns, "m")})::date`;
  const { n } = await database.one<{ n: number }>(`
    with u as (select search, span, mindate::date as mindate, maxdate::date as maxdate from (values ${tuples(asked)}) t(search, span, mindate, maxdate)),
      e as (select u.*, w.span as earlier, (${COVERS}) as is_whole from u join windows w on w.search = u.search and (w.span = u.span or (${OVERLAPS}))),
      found as (${found.join(" union all ") || "select null::varchar as id limit 0"})
    select count(*)::int as n from hits h join e on e.search = h.search and e.earlier = h.span join mentions m on m.id = h.id
      where h.vanished is null and not starts_with(h.id, 'sha256:') and regexp_replace(h.id, '#\\d+$', '') not in (select id from found where id is not null)
        and (e.is_whole or (${day} > coalesce(e.mindate, ${day} - 1) and ${day} < coalesce(e.maxdate, ${day} + 1)))`);
  return n;
}

/** Whether an earlier window has all days of the present one, or some. */
const COVERS = "(u.mindate is null or w.mindate >= u.mindate) and (u.maxdate is null or w.maxdate <= u.maxdate)";
const OVERLAPS =
  "(u.mindate is null or w.maxdate is null or w.maxdate >= u.mindate) and (u.maxdate is null or w.mindate is null or w.mindate <= u.maxdate)";

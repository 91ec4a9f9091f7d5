import { rmSync } from "node:fs";
import { rowsBytes } from "../../pages/rows.js";
import { sum } from "../../util/lists.js";
import { CONTENT_COLUMNS, contentHash, type Database, markDirty, updateVanished } from "../database/database.js";
import type { Window } from "../definition/windows.js";
import type { Reading } from "./fetchWindow.js";
import { type RowsFile, writeRows } from "./rowsFile.js";

/** A window that was fetched, for every search that asks the same. */
interface FetchedWindow {
  readonly uses: readonly Window[];
  readonly reading: Reading;
}

/** Bytes of rows and milliseconds after which a batch lands: a transaction costs more than most windows. */
const MAX_BYTES = 2 ** 24;
const MAX_WAIT = 5000;

/** Windows on their way into the database, in batches. A killed run loses those that wait. */
export class LandingQueue {
  /** Mentions that were added. */
  added = 0;
  /** Windows that were read to their end. */
  windows = 0;
  #waiting: FetchedWindow[] = [];
  #bytes = 0;
  #since = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly database: Database,
    readonly run: number,
  ) {}

  /** Adds a window. Resolves when there is room for the next one. */
  async add(window: FetchedWindow): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    this.#waiting.push(window);
    this.windows++;
    this.#bytes += sum(window.reading.pages.map((page) => rowsBytes(page).length));
    if (this.#bytes >= MAX_BYTES || performance.now() - this.#since > MAX_WAIT) await this.flush();
  }

  /** Lands what is waiting. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    [this.#waiting, this.#bytes] = [[], 0];
    return this.between(async () => {
      if (batch.length > 0) this.added += await landWindows(this.database, this.run, batch);
    });
  }

  /** Runs something on the database between two landings: they share a connection. */
  between<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/**
 * Lands windows in one transaction: the latest response with a mention has its content, a hit belongs to the last window that found it,
 * and what a window no longer finds has vanished, unless another window has it.
 *
 * @param windows in the order of their responses
 * @returns the number of mentions that were added
 */
async function landWindows(database: Database, run: number, windows: readonly FetchedWindow[]): Promise<number> {
  const uses = windows.flatMap(({ uses: own, reading: { rows, requests, day, hash } }, part) =>
    own.map(({ search, span }) => ({ part, search, span, rows, requests, day, hash })),
  );
  const columns = { part: "integer", search: "varchar", span: "varchar", rows: "bigint", requests: "bigint" };
  const added = await database.transaction(async () => {
    await database.temporary("uses", { ...columns, day: "date", hash: "varchar" }, uses);
    const { others } = await database.one<{ others: number }>(
      "select count(*)::int as others from uses anti join windows using (search, span, hash)",
    );
    const pages = windows.map(({ reading }) => reading.pages);
    const count = others === 0 ? 0 : await landRows(database, run, writeRows(database.work, "mentions", pages));
    await database.run(`
      update windows w set rows = u.rows, requests = u.requests, retrieved = u.day, run = ${run}, due = false
        from uses u where w.search = u.search and w.span = u.span;
      update windows set error = null, message = null where error is not null and search in (select search from uses);`);
    return count;
  });
  await database.trimMemory();
  return added;
}

/** Lands the rows of a file. Not called if all windows of a batch have the rows that the corpus has. */
async function landRows(database: Database, run: number, file: RowsFile): Promise<number> {
  await database.run(`create or replace temp table batch as select part, row, coalesce(nullif(id, ''), ${CONTENT_ID}) as id,
    ${contentHash("r")} as content, hash(more) as rest from (${file.rows}) r`);
  await database.trimMemory();
  const added = await landMentions(database, run, file.rows);
  rmSync(file.path);
  await landHits(database, run);
  // A hash says that each mention is as this window found it, and each hit of this window.
  await database.run(`
    update windows w set hash = u.hash from uses u where w.search = u.search and w.span = u.span;
    create or replace temp table shared as select id from merged where is_mixed union select id from matches where is_mixed;
    update windows w set hash = null from uses u where w.search = u.search and w.span = u.span
      and u.part in (select part from batch semi join shared using (id));
    drop table batch; drop table merged;`);
  return added;
}

/** A mention without an id gets one from its content. */
const CONTENT_ID = `'sha256:' || sha256(row(${CONTENT_COLUMNS.join(", ")})::varchar)[:16]`;

/** Updates mentions with the rows of a file. `merged` has what has become of each mention, and where in the file its row is. */
async function landMentions(database: Database, run: number, rows: string): Promise<number> {
  const columns = [...CONTENT_COLUMNS, "more"];
  await database.run(`
    create or replace temp table days as select distinct part, day from uses;
    create or replace temp table merged as
      with latest as materialized (select id, max(row) as row, arg_max(content, row) as content, arg_max(rest, row) as rest,
          min(content) <> max(content) or min(rest) <> max(rest) as is_mixed, min(d.day) as first_day, max(d.day) as last_day from batch b join days d using (part) group by id)
      select l.*, m.content as old_content, m.vanished, m.begintime, m.run,
        case when m.id is null then 'added' when m.content <> l.content then 'changed' when m.rest <> l.rest then 'other' else 'same' end as change
      from latest l left join (select m.id, m.vanished, m.begintime, m.run, ${contentHash("m")} as content, hash(m.more) as rest
        from mentions m join (select rowid as row from mentions semi join latest using (id)) k on k.row = m.rowid) m using (id);`);
  const counts = await database.one<Record<"added" | "edited", number>>(
    `select count(*) filter (change = 'added')::int as added, count(*) filter (change in ('changed', 'other'))::int as edited from merged`,
  );
  if (counts.edited > 0)
    await database.run(`
      insert or ignore into before select id, vanished, old_content from merged where change = 'changed' and run < ${run};
      ${markDirty("from merged where change in ('changed', 'other')")}
      update mentions m set ${columns.map((name) => `${name} = b.${name}`).join(", ")}, run = ${run},
          changed = case when g.change = 'changed' then g.last_day else m.changed end
        from (${rows}) b join merged g using (row) where m.id = g.id and g.change in ('changed', 'other');`);
  if (counts.added > 0)
    await database.run(`insert into mentions by name (select g.id, ${columns.map((name) => `b.${name}`).join(", ")}, g.first_day as first_seen, ${run} as run
      from (${rows}) b join merged g using (row) where g.change = 'added')`);
  return counts.added;
}

async function landHits(database: Database, run: number): Promise<void> {
  await database.run(`
    create or replace temp table matches as select search, id, max(part) as part, min(part) as first_part, min(part) <> max(part) as is_mixed
      from (select distinct part, id from batch) join uses using (part) group by all;
    create or replace temp table moved as
      with earlier as materialized (select h.search, h.id, h.span, h.vanished from hits h semi join matches f on f.search = h.search and f.id = h.id)
      select f.search, f.id, u.span, d.day, h.id is null as is_new from matches f join uses u on u.search = f.search and u.part = f.part
        join days d on d.part = f.first_part left join earlier h on h.search = f.search and h.id = f.id
        where h.id is null or h.vanished is not null or h.span <> u.span;
    create or replace temp table lost as select h.search, h.id, u.day from hits h
      join uses u on u.search = h.search and u.span = h.span
      anti join matches f on f.search = h.search and f.id = h.id where h.vanished is null;
    update windows w set hash = null from hits h where w.search = h.search and w.span = h.span and h.id in (
      select id from merged where change in ('changed', 'other') union select id from moved where not is_new);
    update hits h set span = f.span, vanished = null, run = ${run} from moved f where not f.is_new and f.search = h.search and f.id = h.id;
    insert into hits by name (select search, id, span, day as first_seen, ${run} as run from moved where is_new);
    update hits h set vanished = l.day, run = ${run} from lost l where l.search = h.search and l.id = h.id;
    create or replace temp table touched as select id from lost union
      select id from moved semi join (from merged where vanished is not null) using (id);
    ${updateVanished(run)}`);
}

import { rmSync } from "node:fs";
import { rowsBytes } from "../../pages/rows.js";
import { sum } from "../../util/lists.js";
import { CONTENT_COLUMNS, contentHash, type Database, markDirty, updateVanished } from "../database/database.js";
import type { Window } from "../definition/windows.js";
import type { FetchResult } from "./fetchWindow.js";
import { type RowsFile, writeRowsFile } from "./rowsFile.js";

/** The result of a request, for all windows with this request. */
interface FetchedWindows {
  readonly windows: readonly Window[];
  readonly result: FetchResult;
}

/** Bytes of rows and milliseconds after which a batch is committed, because a transaction costs more than most windows. */
const MAX_BYTES = 2 ** 24;
const MAX_WAIT = 5000;

/** Commits windows to the database in batches. A killed run loses those that wait. */
export class CommitQueue {
  /** Added mentions. */
  added = 0;
  /** Requests whose windows were read to their end. */
  requests = 0;
  #waiting: FetchedWindows[] = [];
  #bytes = 0;
  #since = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly database: Database,
    readonly run: number,
  ) {}

  /** Adds windows. Resolves when there is room for the next ones. */
  async add(fetched: FetchedWindows): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now();
    this.#waiting.push(fetched);
    this.requests++;
    this.#bytes += sum(fetched.result.pages.map((page) => rowsBytes(page).length));
    if (this.#bytes >= MAX_BYTES || performance.now() - this.#since > MAX_WAIT) await this.flush();
  }

  /** Commits all waiting windows. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    [this.#waiting, this.#bytes] = [[], 0];
    return this.between(async () => {
      if (batch.length > 0) this.added += await commitWindows(this.database, this.run, batch);
    });
  }

  /** Runs an action on the database between two commits, which share its connection. */
  between<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/**
 * Commits windows in one transaction: a mention has the content of its latest response, a hit belongs to the last window that found it,
 * and hits that a window no longer finds have vanished, unless another window has them.
 *
 * @param batch in the order of the responses
 * @returns the number of added mentions
 */
async function commitWindows(database: Database, run: number, batch: readonly FetchedWindows[]): Promise<number> {
  const windowRows = batch.flatMap(({ windows, result: { rows, requests, day, hash } }, part) =>
    windows.map(({ search, span }) => ({ part, search, span, rows, requests, day, hash })),
  );
  const columns = { part: "integer", search: "varchar", span: "varchar", rows: "bigint", requests: "bigint" };
  const added = await database.transaction(async () => {
    await database.temporary("batch_windows", { ...columns, day: "date", hash: "varchar" }, windowRows);
    const { changed } = await database.one<{ changed: number }>(
      "select count(*)::int as changed from batch_windows anti join windows using (search, span, hash)",
    );
    const pages = batch.map(({ result }) => result.pages);
    const count = changed === 0 ? 0 : await commitRows(database, run, writeRowsFile(database.work, "mentions", pages));
    await database.run(`
      update windows w set rows = u.rows, requests = u.requests, retrieved = u.day, run = ${run}, due = false
        from batch_windows u where w.search = u.search and w.span = u.span;
      update windows set error = null, message = null where error is not null and search in (select search from batch_windows);`);
    return count;
  });
  await database.trimMemory();
  return added;
}

/** Commits the rows of a file. Not called if all windows of a batch have the rows of the corpus. */
async function commitRows(database: Database, run: number, file: RowsFile): Promise<number> {
  await database.run(`create or replace temp table batch_rows as select part, row, coalesce(nullif(id, ''), ${CONTENT_ID}) as id,
    ${contentHash("r")} as content, hash(more) as more_hash from (${file.rows}) r`);
  await database.trimMemory();
  const added = await commitMentions(database, run, file.rows);
  rmSync(file.path);
  await commitHits(database, run);
  // A window has a hash only if its mentions have the content of this response, and if their hits belong to it.
  await database.run(`
    update windows w set hash = u.hash from batch_windows u where w.search = u.search and w.span = u.span;
    create or replace temp table shared as select id from merged where is_mixed union select id from matches where is_mixed;
    update windows w set hash = null from batch_windows u where w.search = u.search and w.span = u.span
      and u.part in (select part from batch_rows semi join shared using (id));
    drop table batch_rows; drop table merged;`);
  return added;
}

/** The id of a mention without one. */
const CONTENT_ID = `'sha256:' || sha256(row(${CONTENT_COLUMNS.join(", ")})::varchar)[:16]`;

/** Updates mentions with the rows of a file. `merged` has the change of each mention, and the position of its row in the file. */
async function commitMentions(database: Database, run: number, rows: string): Promise<number> {
  const columns = [...CONTENT_COLUMNS, "more"];
  await database.run(`
    create or replace temp table days as select distinct part, day from batch_windows;
    create or replace temp table merged as
      with latest as materialized (select id, max(row) as row, arg_max(content, row) as content, arg_max(more_hash, row) as more_hash,
          min(content) <> max(content) or min(more_hash) <> max(more_hash) as is_mixed, min(d.day) as first_day, max(d.day) as last_day from batch_rows b join days d using (part) group by id)
      select l.*, m.content as old_content, m.vanished, m.begintime, m.run,
        case when m.id is null then 'added' when m.content <> l.content then 'changed' when m.more_hash <> l.more_hash then 'other' else 'same' end as change
      from latest l left join (select m.id, m.vanished, m.begintime, m.run, ${contentHash("m")} as content, hash(m.more) as more_hash
        from mentions m join (select rowid as row from mentions semi join latest using (id)) k on k.row = m.rowid) m using (id);`);
  const counts = await database.one<Record<"added" | "edited", number>>(
    `select count(*) filter (change = 'added')::int as added, count(*) filter (change in ('changed', 'other'))::int as edited from merged`,
  );
  if (counts.edited > 0)
    await database.run(`
      insert or ignore into mentions_before select id, vanished, old_content from merged where change = 'changed' and run < ${run};
      ${markDirty("from merged where change in ('changed', 'other')")}
      update mentions m set ${columns.map((name) => `${name} = b.${name}`).join(", ")}, run = ${run},
          changed = case when g.change = 'changed' then g.last_day else m.changed end
        from (${rows}) b join merged g using (row) where m.id = g.id and g.change in ('changed', 'other');`);
  if (counts.added > 0)
    await database.run(`insert into mentions by name (select g.id, ${columns.map((name) => `b.${name}`).join(", ")}, g.first_day as first_seen, ${run} as run
      from (${rows}) b join merged g using (row) where g.change = 'added')`);
  return counts.added;
}

async function commitHits(database: Database, run: number): Promise<void> {
  await database.run(`
    create or replace temp table matches as select search, id, max(part) as part, min(part) as first_part, min(part) <> max(part) as is_mixed
      from (select distinct part, id from batch_rows) join batch_windows using (part) group by all;
    create or replace temp table moved_hits as
      with earlier as materialized (select h.search, h.id, h.span, h.vanished from hits h semi join matches f on f.search = h.search and f.id = h.id)
      select f.search, f.id, u.span, d.day, h.id is null as is_new from matches f join batch_windows u on u.search = f.search and u.part = f.part
        join days d on d.part = f.first_part left join earlier h on h.search = f.search and h.id = f.id
        where h.id is null or h.vanished is not null or h.span <> u.span;
    create or replace temp table lost_hits as select h.search, h.id, u.day from hits h
      join batch_windows u on u.search = h.search and u.span = h.span
      anti join matches f on f.search = h.search and f.id = h.id where h.vanished is null;
    update windows w set hash = null from hits h where w.search = h.search and w.span = h.span and h.id in (
      select id from merged where change in ('changed', 'other') union select id from moved_hits where not is_new);
    update hits h set span = f.span, vanished = null, run = ${run} from moved_hits f where not f.is_new and f.search = h.search and f.id = h.id;
    insert into hits by name (select search, id, span, day as first_seen, ${run} as run from moved_hits where is_new);
    update hits h set vanished = l.day, run = ${run} from lost_hits l where l.search = h.search and l.id = h.id;
    create or replace temp table affected_ids as select id from lost_hits union
      select id from moved_hits semi join (from merged where vanished is not null) using (id);
    ${updateVanished(run)}`);
}

import type { Window } from "../definition/windows.js";
import { type Database, markDirty, updateVanished } from "./database.js";

/**
 * Applies a definition that may have changed: new windows are due, and so are those with another request. Deletes the hits of removed
 * searches, and mentions without other hits.
 */
export async function applyDefinition(database: Database, windows: readonly Window[], run: number): Promise<void> {
  await database.temporary(
    "defined",
    { search: "varchar", span: "varchar", request: "varchar", mindate: "date", maxdate: "date" },
    windows.map(({ search, span, key: request, mindate, maxdate }) => ({ search, span, request, mindate, maxdate })),
  );
  await database.transaction(() =>
    database.run(`
      create or replace temp table affected_ids as select distinct id from hits where search not in (select search from defined);
      ${markDirty("from mentions semi join affected_ids using (id)")}
      delete from hits where search not in (select search from defined);
      delete from mentions where id in (from affected_ids) and id not in (select id from hits);
      ${updateVanished(run)}
      delete from windows w where not exists (from defined d where d.search = w.search and d.span = w.span);
      update windows w set request = d.request, mindate = d.mindate, maxdate = d.maxdate, due = true
        from defined d where d.search = w.search and d.span = w.span and d.request <> w.request;
      insert into windows by name (select *, true as due from defined anti join windows using (search, span));`),
  );
}

/**
 * Marks the hits of removed windows as vanished, once no window of their search is due that could find them.
 *
 * @param day of the run, yyyy-mm-dd
 */
export async function removeOrphans(database: Database, run: number, day: string): Promise<void> {
  await database.transaction(() =>
    database.run(`
      create or replace temp table orphans as select h.search, h.id from hits h anti join windows w on w.search = h.search and w.span = h.span
        where h.vanished is null and h.search not in (select search from windows where due);
      update hits h set vanished = date '${day}', run = ${run} from orphans o where o.search = h.search and o.id = h.id;
      create or replace temp table affected_ids as select distinct id from orphans;
      ${updateVanished(run)}`),
  );
}

import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { keepMode } from "../../fs/writeFileAtomic.js";
import { identifier } from "../../tables/openDuckDB.js";
import { byCodeUnit } from "../../util/lists.js";
import { type Database, isInMonth, monthsOf, sqlValue } from "../database/database.js";
import type { TableName } from "../database/tables.js";
import type { Definition } from "../definition/definition.js";
import { labelNames } from "../definition/searches.js";
import { makeParents, manifestHash } from "../files.js";
import { describeColumns, KEYS, tableColumns, writePackage } from "./packageFiles.js";
import { readManifest, type TableFile, tableFile } from "./tableFiles.js";

/** The order of rows in files, if it is not that of the primary key. */
const ORDER: Partial<Readonly<Record<TableName, string>>> = { mentions: "begintime, id", searches: "number" };

/**
 * Publishes the dirty months of mentions and hits, the other tables, then the manifest. Every file is replaced as a whole, and only if its
 * bytes change.
 */
export async function publishTables(database: Database, definition: Definition): Promise<void> {
  const { dir } = database;
  // Moves rows from memory to the database file.
  await database.run("checkpoint");
  await database.trimMemory();
  const files = new Map(readManifest(dir).map((file) => [file.path, file]));
  if (files.size === 0) await database.run(`insert or ignore into dirty ${monthsOf("from mentions")}`);
  const months = (await database.rows<{ month: string }>("from dirty order by month")).map(({ month }) => month);
  const hasMonth = months.map(isInMonth).join(" or ") || "false";
  // Once, because a join for each month would read all hits.
  await database.run(
    `create or replace temp table month_hits as select h.*, m.begintime from hits h join (select id, begintime from mentions where ${hasMonth}) m using (id)`,
  );
  const write = async (name: TableName, rows: string, month?: string) => {
    const columns = tableColumns(name, definition).map(([column]) => identifier(column));
    const query = `select ${columns.join(", ")} ${rows} order by ${ORDER[name] ?? KEYS[name].join(", ")}`;
    await publish(database, files, name, query, month);
  };
  for (const month of months) {
    await write("mentions", `from mentions where ${isInMonth(month)}`, month);
    await write("hits", `from month_hits where ${isInMonth(month)}`, month);
  }
  await database.run("drop table month_hits");
  await makeSearches(database, definition);
  for (const name of ["people", "programs", "searches", "windows", "runs"] as const) await write(name, `from ${name}`);
  const all = [...files.values()].sort((a, b) => byCodeUnit(a.path, b.path));
  writePackage(dir, all, describeColumns(definition));
  await database.run("delete from dirty");
}

/** The writer holds a row group in memory. */
const ROW_GROUP = 20_480;

/** Writes the rows of a query to their file. The file of an empty month is deleted. */
async function publish(
  database: Database,
  files: Map<string, TableFile>,
  name: TableName,
  query: string,
  month: string | undefined,
): Promise<void> {
  const { dir, work } = database;
  const path = tableFile(name, month);
  const to = join(dir, path);
  const partial = `${randomUUID()}.parquet`;
  const from = join(work, partial);
  const { count } = await database.one<{ count: string }>(
    `copy (${query}) to ${sqlValue(from)} (format parquet, compression zstd, row_group_size ${ROW_GROUP}, return_stats)`,
  );
  await database.trimMemory();
  const rows = Number(count);
  if (rows === 0 && month !== undefined) {
    files.delete(path);
    for (const file of [from, to]) rmSync(file, { force: true });
    return;
  }
  const hash = await manifestHash(work, partial);
  makeParents(dir, path);
  if (existsSync(to) && (await manifestHash(dir, path)) === hash) rmSync(from);
  else {
    keepMode(from, to);
    renameSync(from, to);
  }
  files.set(path, { path, rows, bytes: statSync(to).size, hash });
}

/** Creates the table `searches` from the definition and the windows: a row per search. */
async function makeSearches(database: Database, definition: Definition): Promise<void> {
  const names = ["search", ...labelNames(definition), "query", "parameters"];
  const rows = definition.searches.map(({ id: search, parameters, labels }, number) => {
    return { ...labels, search, query: parameters.query, parameters: JSON.stringify(parameters), number };
  });
  const columns = Object.fromEntries(names.map((name) => [name, "varchar"]));
  await database.temporary("definitions", { ...columns, number: "integer" }, rows);
  await database.run(`create or replace temp table searches as select * from definitions join (
    select search, count(*) as windows, count(*) filter (not due) as done, sum(rows)::bigint as rows, sum(requests)::bigint as requests,
      case when count(error) > 0 then 'stopped' when bool_or(due) then 'capped' else 'complete' end as verdict,
      any_value(error) as reason, min(retrieved) as first_retrieved, max(retrieved) as retrieved from windows group by search) using (search)`);
}

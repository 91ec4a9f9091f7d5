import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { keepMode } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import type { Database } from "../database/database.js";
import { isInMonth, monthsOf } from "../database/months.js";
import { identifier, sqlValue } from "../database/sqlText.js";
import { columnsOf, type TableName } from "../database/tables.js";
import type { Definition } from "../definition/definition.js";
import { placeInside, sha256OfFile } from "../files.js";
import { describeTables } from "./describeTables.js";
import { readManifest, type TableFile } from "./manifest.js";
import { writePackage } from "./packageFiles.js";
import { makeSearches } from "./searchesTable.js";
import { filesOf, tableFile, tableOf } from "./tableFiles.js";

/** The order of rows in the files of a table. */
const ORDER: Readonly<Record<TableName, string>> = {
  mentions: "begintime, id",
  hits: "id, search",
  people: "id",
  programs: "id",
  searches: "number",
  windows: "search, span",
  runs: "run",
};

/**
 * Publishes months of mentions and hits that have changed, the other tables, then the manifest. Every file is replaced as a whole, and only
 * by one with other bytes.
 */
export async function publishTables(database: Database, definition: Definition): Promise<void> {
  const { dir } = database;
  // Rows in the database file need no memory.
  await database.run("checkpoint");
  const files = new Map(readManifest(dir).map((file) => [file.path, file]));
  if (files.size === 0) await database.run(`insert or ignore into dirty ${monthsOf("from mentions")}`);
  const dirty = (await database.rows<{ month: string }>("from dirty")).map(({ month }) => month);
  const months = new Set([...dirty, ...unpublishedMonths(dir, files)]);
  const hasMonth = [...months].map(isInMonth).join(" or ") || "false";
  // A join for each month would read all hits.
  await database.run(
    `create or replace temp table month_hits as select h.*, m.begintime from hits h join (select id, begintime from mentions where ${hasMonth}) m using (id)`,
  );
  for (const month of [...months].sort(byCodeUnit)) {
    await publish(database, files, "mentions", `from mentions where ${isInMonth(month)}`, month);
    await publish(database, files, "hits", `from month_hits where ${isInMonth(month)}`, month);
  }
  await database.run("drop table month_hits");
  const labels = await makeSearches(database, definition);
  for (const name of ["people", "programs", "windows", "runs"] as const)
    await publish(database, files, name, `from ${name}`);
  await publish(database, files, "searches", "from searches", undefined, labels);
  const all = [...files.values()].sort((a, b) => byCodeUnit(a.path, b.path));
  writePackage(dir, describeTables(dir, all));
  await database.run("delete from dirty");
}

/** Months whose files are not those of the manifest: a run was killed while it published. */
function unpublishedMonths(dir: string, files: ReadonlyMap<string, TableFile>): string[] {
  const present = [...filesOf(dir, "mentions"), ...filesOf(dir, "hits")];
  const others = present.filter((path) => files.get(path)?.bytes !== statSync(join(dir, path)).size);
  const missing = [...files.keys()].filter((path) => tableFile("mentions") && !existsSync(join(dir, path)));
  return [...others, ...missing]
    .filter((path) => /^tables\/(?:mentions|hits)\//.test(path) && tableOf(path) !== undefined)
    .map((path) => path.split("/").slice(2, 4).join("/"));
}

/** Rows of a row group, which the writer has in memory. */
const ROW_GROUP = 20_480;

type Pairs<V> = ReadonlyArray<{ readonly key: string; readonly value: V }>;

/** Writes the rows of a query to their file. The file of an empty month is deleted. */
async function publish(
  database: Database,
  files: Map<string, TableFile>,
  name: TableName,
  rows: string,
  month?: string,
  labels: readonly string[] = [],
): Promise<void> {
  const { dir, work } = database;
  const path = tableFile(name, month);
  const to = join(dir, path);
  const partial = `${randomUUID()}.parquet`;
  const from = join(work, partial);
  const [first, ...others] = Object.keys(columnsOf(name));
  const columns = [first as string, ...labels, ...others].map(identifier).join(", ");
  const stats = await database.one<{ count: string; column_statistics: Pairs<Pairs<string>> }>(
    `copy (select ${columns} ${rows} order by ${ORDER[name]}) to ${sqlValue(from)} (format parquet, compression zstd, row_group_size ${ROW_GROUP}, return_stats)`,
  );
  if (Number(stats.count) === 0 && month !== undefined) {
    rmSync(from);
    files.delete(path);
    return removeFile(to);
  }
  const nulls = stats.column_statistics.flatMap(({ key, value }) => {
    const missing = Number(value.find((one) => one.key === "null_count")?.value ?? 0);
    return missing === 0 ? [] : [[key.slice(1, -1).replaceAll('""', '"'), missing] as const];
  });
  const hash = await sha256OfFile(work, partial);
  placeInside(dir, path);
  if (existsSync(to) && (await sha256OfFile(dir, path)) === hash) rmSync(from);
  else {
    keepMode(from, to);
    renameSync(from, to);
  }
  files.set(path, {
    path,
    rows: Number(stats.count),
    bytes: statSync(to).size,
    hash,
    nulls: Object.fromEntries(nulls),
  });
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
  try {
    for (const parent of [dirname(path), dirname(dirname(path))]) rmdirSync(parent);
  } catch {
    // It is not empty.
  }
}

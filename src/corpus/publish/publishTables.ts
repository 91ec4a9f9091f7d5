import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { keepMode, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import type { Definition } from "../definition/definition.js";
import type { Window } from "../definition/windows.js";
import { placeInside, sha256OfFile } from "../files.js";
import { allMonthsAreDirty, monthOf, SERVED, type ServedColumns, timeOf } from "../state/columns.js";
import type { CorpusState } from "../state/corpusState.js";
import { identifier, sqlValue } from "../state/sqlText.js";
import { publishPackage } from "./packageFiles.js";
import { searchesTable } from "./searchesTable.js";
import {
  filesOf,
  INDEX,
  isPartitioned,
  readIndex,
  type TableFile,
  type TableName,
  type TablesIndex,
  tableFile,
  tableOf,
} from "./tableFiles.js";

/**
 * Publishes what has changed: months of mentions and hits, the other tables, then the index of what belongs together. Every file is replaced
 * as a whole, and only by one with other bytes.
 *
 * @param pending the windows that are left to fetch
 */
export async function publishTables(
  state: CorpusState,
  definition: Definition,
  pending: readonly Window[],
  lookupsMissing: number,
): Promise<void> {
  const { dir, scratch, round } = state;
  const index = readIndex(dir);
  const files = new Map((index?.files ?? []).map((file) => [file.path, file]));
  if (index === undefined) await allMonthsAreDirty(state.columns);
  // Rows in the database file need no memory. It happens at the end of a run anyway.
  await state.run("checkpoint");
  const dirty = (await state.rows<{ month: string }>("from dirty")).map(({ month }) => month);
  const months = new Set([...dirty, ...unpublishedMonths(dir, files)]);
  if (months.size > 0) await joinHits(state, months);
  for (const month of [...months].sort(byCodeUnit))
    for (const [name, query] of Object.entries(monthQueries(state, month)))
      await publish(state, files, name as TableName, query, month);
  await state.run("drop table if exists timed_hits");
  const counts = await state.counts();
  for (const name of ["people", "programs"] as const) {
    const query = `select ${selectList(state.lookups[name], name)} from ${name} t order by length(id::varchar), id::varchar`;
    if (counts[name] > 0) await publish(state, files, name, query);
  }
  const path = join(scratch, `${randomUUID()}.parquet`);
  (await searchesTable(state, definition)).writeParquet(path, { compression: "uncompressed" });
  await publish(
    state,
    files,
    "searches",
    `select * exclude (file_row_number) from read_parquet(${sqlValue(path)}, file_row_number = true) order by file_row_number`,
  );
  await publish(state, files, "runs", "from runs order by began");
  const failed = await state.rows<TablesIndex["failed"][number]>(
    "select search, code, message from failures order by search",
  );
  const published: TablesIndex = {
    version: 1,
    round: round.round,
    closed: round.closed ? round.round : round.round - 1,
    again: pending.filter((window) => state.landingOf(window) !== undefined).length,
    lookupsMissing,
    failed,
    files: [...files.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
  };
  writeFileAtomic(placeInside(dir, INDEX), `${JSON.stringify(published, null, 1)}\n`);
  publishPackage(dir, published.files);
  await state.run("delete from dirty");
}

/** Months whose files are not those of the index: a run was killed while it published. */
function unpublishedMonths(dir: string, files: ReadonlyMap<string, TableFile>): string[] {
  const there = [...filesOf(dir, "mentions"), ...filesOf(dir, "hits")];
  const isOther = (path: string) => files.get(path)?.bytes !== statSync(join(dir, path)).size;
  const missing = [...files.keys()].filter(
    (path) => isPartitioned(tableOf(path) as TableName) && !existsSync(join(dir, path)),
  );
  return [...there.filter(isOther), ...missing].map((path) => path.split("/").slice(2, 4).join("/"));
}

function selectList(columns: ServedColumns, name: keyof typeof SERVED): string {
  return [...columns.names, ...SERVED[name].own].map((column) => `t.${identifier(column)}`).join(", ");
}

/** Joins the hits of some months with their times, once: a join for each month would read all hits. */
async function joinHits(state: CorpusState, months: ReadonlySet<string>): Promise<void> {
  await state.run(`create or replace temp table timed_hits as select h.*, t.begintime from hits h join mentions t using (id)
    where ${monthOf(state.columns, "t")} in (${[...months].map(sqlValue).join(", ")})`);
}

/** The rows of a month of mentions and hits. */
function monthQueries({ columns }: CorpusState, month: string) {
  const time = timeOf(columns, "t");
  const [, year, number] = /^year=(\d{4})\/month=(\d\d)$/.exec(month) ?? [];
  const first = `timestamptz '${year}-${number}-01 00:00:00+00'`;
  const isMonth =
    year !== undefined
      ? `${time} >= ${first} and ${time} < ${first} + interval 1 month`
      : `${monthOf(columns, "t")} = ${sqlValue(month)}`;
  return {
    mentions: `select ${selectList(columns, "mentions")} from mentions t where ${isMonth} order by t.begintime, t.id`,
    hits: `select search, span, id, begintime, first_seen, vanished, round from timed_hits t
      where ${isMonth} order by begintime, id, search`,
  };
}

/** Rows of a row group, which the writer has in memory. */
const ROW_GROUP = 20_480;

type Pairs<V> = ReadonlyArray<{ readonly key: string; readonly value: V }>;

/** Writes the rows of a query to their file. The file of an empty month is deleted. */
async function publish(
  state: CorpusState,
  files: Map<string, TableFile>,
  name: TableName,
  query: string,
  month?: string,
): Promise<void> {
  const path = tableFile(name, month);
  const to = join(state.dir, path);
  const partial = `${randomUUID()}.parquet`;
  const from = join(state.scratch, partial);
  const { count, column_statistics: columns } = await state.one<{
    count: string;
    column_statistics: Pairs<Pairs<string>>;
  }>(
    `copy (${query}) to ${sqlValue(from)} (format parquet, compression zstd, row_group_size ${ROW_GROUP}, return_stats)`,
  );
  await state.trimMemory();
  const rows = Number(count);
  if (rows === 0 && month !== undefined) {
    rmSync(from);
    files.delete(path);
    return removeFile(to);
  }
  const nulls = columns.flatMap(({ key, value }) => {
    const missing = Number(value.find((one) => one.key === "null_count")?.value ?? 0);
    return missing === 0 ? [] : [[key.slice(1, -1).replaceAll('""', '"'), missing] as const];
  });
  const sha256 = await sha256OfFile(state.scratch, partial);
  placeInside(state.dir, path);
  if (existsSync(to) && (await sha256OfFile(state.dir, path)) === sha256) rmSync(from);
  else {
    keepMode(from, to);
    renameSync(from, to);
  }
  files.set(path, { path, rows, bytes: statSync(to).size, sha256, nulls: Object.fromEntries(nulls) });
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
  try {
    for (const parent of [dirname(path), dirname(dirname(path))]) rmdirSync(parent);
  } catch {
    // It is not empty.
  }
}

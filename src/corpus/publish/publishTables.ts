import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { keepMode, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import type { Definition } from "../definition/definition.js";
import { placeInside } from "../files.js";
import { DECLARED, OWN_COLUMNS } from "../state/columns.js";
import type { CorpusState } from "../state/corpusState.js";
import { allMonthsAreDirty } from "../state/land.js";
import { NO_MONTH, timeOf } from "../state/month.js";
import { identifier, literal } from "../state/sqlText.js";
import { publishPackage } from "./publishPackage.js";
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

const PARQUET = "(format parquet, compression zstd)";

/**
 * Publishes what has changed: months of mentions and hits, the other tables, then the index of what belongs together. Every file is replaced
 * as a whole, and only by one with other bytes.
 *
 * @param more what the index says besides
 */
export async function publishTables(
  state: CorpusState,
  definition: Definition,
  more: Pick<TablesIndex, "again" | "lookupsMissing">,
): Promise<void> {
  const { database, round } = state;
  const { dir } = database;
  const publisher = new Publisher(state);
  if (readIndex(dir) === undefined) await allMonthsAreDirty(state);
  const dirty = (await database.rows<{ month: string }>("from dirty")).map(({ month }) => month);
  const published = [...filesOf(dir, "mentions"), ...filesOf(dir, "hits")];
  const months = new Set([...dirty, ...(await publisher.unpublished(published))]);
  for (const month of [...months].sort(byCodeUnit)) await publisher.month(month);
  for (const name of ["people", "programs"] as const) await publisher.lookups(name);
  const path = join(database.scratch, `${randomUUID()}.parquet`);
  (await searchesTable(state, definition)).writeParquet(path, { compression: "zstd" });
  await publisher.put("searches", path);
  await publisher.query("runs", "from runs order by began");
  const failed = await database.rows<TablesIndex["failed"][number]>(
    "select search, code, message from failures order by search",
  );
  const closed = round === undefined ? 0 : round.closed ? round.round : round.round - 1;
  const index = { version: 1 as const, round: round?.round ?? 0, closed, failed, ...more, files: publisher.index() };
  writeFileAtomic(placeInside(dir, INDEX), `${JSON.stringify(index, null, 1)}\n`);
  publishPackage(dir, index.files);
  await database.run("delete from dirty");
}

class Publisher {
  readonly #files: Map<string, TableFile>;

  constructor(readonly state: CorpusState) {
    this.#files = new Map((readIndex(state.database.dir)?.files ?? []).map((file) => [file.path, file]));
  }

  /** Months whose files are not those of the index: a run was killed while it published. */
  async unpublished(files: readonly string[]): Promise<string[]> {
    const { dir } = this.state.database;
    const isOther = (path: string) => this.#files.get(path)?.bytes !== statSync(join(dir, path)).size;
    const missing = [...this.#files.keys()].filter(
      (path) => isPartitioned(tableOf(path) as TableName) && !existsSync(join(dir, path)),
    );
    return [...files.filter(isOther), ...missing].map((path) => path.split("/").slice(2, 4).join("/"));
  }

  /** Publishes a month of mentions and hits. */
  async month(month: string): Promise<void> {
    const { columns } = this.state;
    const [, year, number] = /^year=(\d{4})\/month=(\d\d)$/.exec(month) ?? [];
    const time = timeOf(columns, "m");
    const first = `timestamptz '${year}-${number}-01 00:00:00+00'`;
    const isMonth =
      year === undefined
        ? month === NO_MONTH
          ? `${time} is null`
          : `strftime(${time}, 'year=%Y/month=%m') = ${literal(month)}`
        : `${time} >= ${first} and ${time} < ${first} + interval 1 month`;
    const others = columns.names.filter((name) => !DECLARED.has(name)).sort(byCodeUnit);
    const names = [...DECLARED.keys(), ...others, ...OWN_COLUMNS].map((name) => `m.${identifier(name)}`);
    await this.query(
      "mentions",
      `select ${names.join(", ")} from mentions m where ${isMonth} order by m.begintime, m.id`,
      month,
    );
    await this.query(
      "hits",
      `select h.search, h.span, h.id, m.begintime, h.first_seen, h.vanished, h.round from hits h join mentions m using (id)
        where ${isMonth} order by m.begintime, h.id, h.search`,
      month,
    );
  }

  async lookups(name: "people" | "programs"): Promise<void> {
    const [known] = await this.state.database.rows(
      `select 1 as one from duckdb_tables() where table_name = '${name}' and schema_name = 'main'`,
    );
    if (known !== undefined) await this.query(name, `from ${name} order by length(id::varchar), id::varchar`);
  }

  /** Publishes the rows of a query. */
  async query(name: TableName, sql: string, month?: string): Promise<void> {
    const { database } = this.state;
    const path = join(database.scratch, `${randomUUID()}.parquet`);
    await database.run(`copy (${sql}) to ${literal(path)} ${PARQUET}`);
    await this.put(name, path, month);
  }

  /** Moves a file to its place. One without rows of a month goes. */
  async put(name: TableName, from: string, month?: string): Promise<void> {
    const { database } = this.state;
    const path = tableFile(name, month);
    const to = join(database.dir, path);
    const [{ rows }] = (await database.rows<{ rows: number }>(
      `select num_rows::int as rows from parquet_file_metadata(${literal(from)})`,
    )) as [{ rows: number }];
    if (rows === 0 && month !== undefined) {
      rmSync(from);
      this.#files.delete(path);
      return removeFile(to);
    }
    const nulls = await database.rows<{ n: number }>(
      `select sum(stats_null_count)::int as n from parquet_metadata(${literal(from)}) group by column_id order by column_id`,
    );
    const bytes = readFileSync(from);
    placeInside(database.dir, path);
    if (existsSync(to) && readFileSync(to).equals(bytes)) rmSync(from);
    else {
      keepMode(from, to);
      renameSync(from, to);
    }
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    this.#files.set(path, { path, rows, bytes: bytes.length, sha256, nulls: nulls.map(({ n }) => n ?? 0) });
  }

  index(): TableFile[] {
    return [...this.#files.values()].sort((a, b) => byCodeUnit(a.path, b.path));
  }
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
  try {
    for (const parent of [dirname(path), dirname(dirname(path))]) rmdirSync(parent);
  } catch {
    // Others are there.
  }
}

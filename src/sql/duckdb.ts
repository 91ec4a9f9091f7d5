import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { invalid } from "../errors/validators.js";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";
import { type Serialized, tablesOf } from "./tablesOf.js";

type DuckDB = typeof import("@duckdb/node-api");

/** DuckDB; undefined if it is not installed. */
export async function loadDuckDB(): Promise<DuckDB | undefined> {
  try {
    return await import("@duckdb/node-api");
  } catch {
    return undefined;
  }
}

/**
 * Runs a query with DuckDB, which can read and write one private directory only.
 *
 * @returns the result, and the names of the tables that it comes from
 * @throws ValidationError for a query that fails, and for anything but a SELECT from the tables
 */
export async function queryDuckDB(
  { DuckDBInstance }: DuckDB,
  query: string,
  tables: Readonly<Record<string, LazyFrame>>,
): Promise<{ frame: PolarsFrame; used: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), "archive-frames-sql-"));
  const instance = await DuckDBInstance.create(":memory:", { autoinstall_known_extensions: "false" });
  const connection = await instance.connect();
  try {
    const tree = JSON.parse(await oneText(connection, `select json_serialize_sql(${literal(query)})`)) as Serialized;
    const used = tablesOf(query, tree, Object.keys(tables));
    for (const name of used) {
      const path = join(directory, `${name}.parquet`);
      await (tables[name] as LazyFrame).sinkParquet(path, { compression: "uncompressed" }).collect();
      await connection.run(`create view ${name} as select * from read_parquet(${literal(path)})`);
    }
    await connection.run("set TimeZone = 'UTC'");
    await connection.run(`set temp_directory = ${literal(join(directory, "spill"))}`);
    await connection.run(`set allowed_directories = [${literal(directory)}]`);
    await connection.run("set enable_external_access = false");
    await connection.run("set lock_configuration = true");
    const result = join(directory, "result");
    // The syntax tree as text again has no comments, and no semicolon to end the COPY with.
    const select = await oneText(connection, `select json_deserialize_sql(${literal(JSON.stringify(tree))})`);
    await connection.run(`copy (${select}) to ${literal(result)} (format parquet)`).catch((error: Error) => {
      throw invalid("query", query, `${error.message.split("\n")[0] ?? ""}`);
    });
    return { frame: pl.readParquet(await readFile(result)), used };
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true, force: true });
  }
}

async function oneText(connection: DuckDBConnection, select: string): Promise<string> {
  const [row] = (await connection.runAndReadAll(select)).getRows();
  return String(row?.[0]);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { faulty, invalid } from "../errors/validators.js";
import { type Engine, type FrameTypes, isPolarsFrame } from "../frames/engine.js";
import { isLazyFrame } from "../frames/frameBatches.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";
import { identifier, literal, withDuckDB } from "./openDuckDB.js";
import { tableFrame } from "./tableFrame.js";
import { type Serialized, tablesOf } from "./tablesOf.js";

/** A table of a query: a frame or a lazy frame. */
export type SqlTable = FrameTypes[Engine] | LazyFrame;

/** No table of the caller has this name. */
const RESULT = "~result";

/**
 * Queries frames with the SQL of DuckDB. A query only reads, and only the given tables: names of files and other statements are refused. The
 * result has the provenance of the tables that it comes from.
 *
 * @param query one SELECT
 * @param tables frames or lazy frames by the name that the query gives them
 * @returns a polars frame. Decimals (`100.0 * count(*)`) are Float64 and sums of whole numbers Int64, or text if that would not be exact;
 *   so are UUIDs, intervals and blobs. The members of a struct are dotted columns
 * @throws ValidationError for a query that fails, or reads anything but the tables
 * @throws ArchiveError `ENGINE_MISSING` if DuckDB cannot be loaded
 * @example
 * const mentions = await archive.mentions("climate", { maxItems: 500 });
 * const counts = await sql("select person, count(*) as n from mentions group by person order by n desc", { mentions });
 * counts.columns; //=> ["person", "n"]
 */
export async function sql(query: string, tables: Readonly<Record<string, SqlTable>>): Promise<PolarsFrame> {
  if (typeof query !== "string" || query.trim() === "")
    throw invalid("query", query, 'Give a text, for example "select count(*) from mentions".');
  const lazy = lazyTables(tables);
  const { frame, used } = await withDuckDB((connection, directory) => run(connection, directory, query, lazy));
  const [first, ...others] = used.map((name) => provenanceOf(tables[name])).filter((known) => known !== undefined);
  if (first === undefined) return frame;
  return setProvenance(frame, derived(first, stepOf("sql", "summary", [{ query }]), others));
}

function lazyTables(tables: unknown): Record<string, LazyFrame> {
  if (!isObject(tables) || isPolarsFrame(tables) || isLazyFrame(tables))
    throw invalid("tables", tables, "Give frames by name, for example { mentions: frame }.");
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => {
      if (!/^[a-z_]\w{0,60}$/i.test(name)) throw invalid("tables", name, "Give a name of letters, digits and _.");
      if (isObject(table) && isLazyFrame(table)) return [name, table];
      const frame = isPolarsFrame(table) ? table : toDataFrame(table);
      if (frame.width === 0) throw faulty("tables", `${name} has no columns`, "Give a frame, or a list of rows.");
      return [name, frame.lazy()];
    }),
  );
}

/** Runs a query. Only the tables that it names are handed over, as Parquet files. */
async function run(
  connection: DuckDBConnection,
  directory: string,
  query: string,
  tables: Readonly<Record<string, LazyFrame>>,
): Promise<{ frame: PolarsFrame; used: readonly string[] }> {
  const parsed = await connection.runAndReadAll(`select json_serialize_sql(${literal(query)})`);
  const used = tablesOf(query, JSON.parse(String(parsed.getRows()[0]?.[0])) as Serialized, Object.keys(tables));
  for (const [at, name] of used.entries()) {
    const path = join(directory, `${at}.parquet`);
    await (tables[name] as LazyFrame).sinkParquet(path, { compression: "uncompressed" }).collect();
    await connection.run(`create view ${identifier(name)} as select * from read_parquet(${literal(path)})`);
  }
  try {
    // The query is one SELECT, so nothing in it can end this statement and begin another.
    await connection.run(`create table ${identifier(RESULT)} as\n${query}`);
  } catch (error) {
    throw faulty("query", ...problemOf(error as Error));
  }
  return { frame: await tableFrame(connection, RESULT, directory), used };
}

/** The first line of an error of DuckDB, and the place in the query, which begins in the second line of the statement. */
function problemOf({ message }: Error): [problem: string, hint: string] {
  const [problem = ""] = message.split("\n");
  const [, line, text = "", caret = ""] = /\n(LINE (?:\d+): )([^\n]*)\n( *)\^/.exec(message) ?? [];
  if (line === undefined) return [problem.replace(/[.!]$/, ""), ""];
  const place = text.slice(caret.length - line.length);
  return [problem.replace(/[.!]$/, ""), `In line ${Number(/\d+/.exec(line)?.[0]) - 1}, at ${quoted(place, 60)}.`];
}

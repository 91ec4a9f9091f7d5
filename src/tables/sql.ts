import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { faulty, invalid } from "../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../frames/engine.js";
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

/** A table of a query: a frame or a lazy frame. */
export type SqlTable = PolarsFrame | LazyFrame;

/** Not a valid name for a table of the caller. */
const RESULT = "~result";

/**
 * Queries frames with DuckDB SQL. A query can only read the given tables; file names and other statements are rejected. The result has
 * the provenance of the tables it comes from.
 *
 * @param query one SELECT
 * @param tables frames or lazy frames by their names in the query
 * @returns a polars frame. Decimals (`100.0 * count(*)`) become Float64 and sums of integers Int64, or text if that would not be exact;
 *   UUIDs, intervals, blobs and columns with infinite dates become text. The members of a struct become dotted columns
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
      refuseDanfo(table, name);
      const frame = isPolarsFrame(table) ? table : toDataFrame(table);
      if (frame.width === 0) throw faulty("tables", `${name} has no columns`, "Give a frame, or a list of rows.");
      return [name, frame.lazy()];
    }),
  );
}

/** Runs a query. Passes only the tables that it names, as Parquet files. */
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
    // The query is one SELECT, so it cannot end this statement and begin another.
    await connection.run(`create table ${identifier(RESULT)} as\n${query}`);
  } catch (error) {
    throw faulty("query", ...problemOf(error as Error));
  }
  return { frame: await tableFrame(connection, RESULT, directory), used };
}

/** The first line of a DuckDB error, its position in the query, which begins on the second line of the statement, and DuckDB's advice. */
function problemOf({ message }: Error): [problem: string, hint: string] {
  const [problem = "", advice = ""] = message.split("\n");
  const [, line, text = "", caret = ""] = /\n(LINE (?:\d+): )([^\n]*)\n( *)\^/.exec(message) ?? [];
  const place =
    line && `In line ${Number(/\d+/.exec(line)?.[0]) - 1}, at ${quoted(text.slice(caret.length - line.length), 60)}.`;
  // A list of all variants of a function begins with a tab.
  return [
    withoutEnd(problem),
    [place, /^\w/.test(advice) && advice.replace(/[^.?]$/, "$&.")].filter(Boolean).join(" "),
  ];
}

function withoutEnd(sentence: string): string {
  return sentence.replace(/[.!]$/, "");
}

/** Functions in FROM that read no files. */
const FUNCTIONS = new Set(["range", "generate_series", "unnest"]);

type Serialized =
  | { readonly error: true; readonly error_message: string; readonly position?: string }
  | { readonly error: false; readonly statements: readonly unknown[] };

/**
 * Returns the names of the given tables that a query reads.
 *
 * @param tree the query as DuckDB parses it
 * @param names of the given tables
 * @throws ValidationError for anything but one SELECT, for other tables, and for functions that may read a file
 */
function tablesOf(query: string, tree: Serialized, names: readonly string[]): string[] {
  if (tree.error && tree.position === undefined) throw noSelect(query);
  if (tree.error)
    throw faulty("query", withoutEnd(tree.error_message), `${placeIn(query, Number(tree.position))}Give one SELECT.`);
  if (tree.statements.length !== 1) throw noSelect(query);
  const read = new Set<string>();
  const own = new Set<string>();
  for (const node of nodesOf(tree.statements)) {
    if (isObject(node.cte_map)) for (const { key } of node.cte_map.map as { key: string }[]) own.add(key.toLowerCase());
    if (node.type === "TABLE_FUNCTION") {
      const { function_name: name } = node.function as { function_name: string };
      if (!FUNCTIONS.has(name)) throw refused(query, name, names);
    }
    if (node.type === "BASE_TABLE") {
      if (node.schema_name !== "" || node.catalog_name !== "") throw refused(query, String(node.schema_name), names);
      read.add(String(node.table_name).toLowerCase());
    }
    if (node.type === "SHOW_REF") throw noSelect(query);
  }
  const unknown = [...read].find((name) => !own.has(name) && !names.some((each) => each.toLowerCase() === name));
  if (unknown !== undefined) throw refused(query, unknown, names);
  return names.filter((each) => read.has(each.toLowerCase()));
}

function noSelect(query: string): Error {
  const hint = /\bpivot\b/i.test(query)
    ? "Name the values of a PIVOT: pivot mentions on party in ('Democrat', 'Republican') using count(*)."
    : "For columns and types, see frame.schema.";
  return invalid("query", query, `Give one SELECT. ${hint}`);
}

function placeIn(query: string, position: number): string {
  const [before, after] = [query.slice(0, position), query.slice(position)];
  return `In line ${before.split("\n").length}, at ${quoted(after, 60)}. `;
}

function refused(query: string, name: string, names: readonly string[]): Error {
  const tables = names.length === 0 ? "There are none." : `The tables are ${names.join(", ")}.`;
  return invalid("query", query, `${JSON.stringify(name)} is not one of the tables. ${tables}`);
}

function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (isObject(next)) yield next;
    if (typeof next === "object" && next !== null) waiting.push(...Object.values(next));
  }
}

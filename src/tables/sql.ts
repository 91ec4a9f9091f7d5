import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ValidationError } from "../errors/index.js";
import { faulty, invalid } from "../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../frames/engine.js";
import { isLazyFrame } from "../frames/frameBatches.js";
import { deriveProvenance } from "../frames/lineage/derived.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { isObject } from "../util/objects.js";
import { quoted } from "../util/text.js";
import { identifier, literal, withDuckDB } from "./openDuckDB.js";
import { tableFrame } from "./tableFrame.js";

/** A table of a query: a frame or a lazy frame. */
export type SqlTable = PolarsFrame | LazyFrame;

/** Cannot be the name of a table of the caller. */
const RESULT = "~result";

/**
 * Queries frames with DuckDB SQL. A query can only read the given tables. The result has the provenance of the tables it comes from.
 *
 * @param query one SELECT
 * @param tables frames or lazy frames by their names in the query
 * @returns a polars frame. Decimals (`100.0 * count(*)`) become Float64 and sums of integers Int64, or text if that would not be exact;
 * UUIDs, intervals and blobs become text, structs and maps JSON text
 * @throws ValidationError for a query that fails or reads anything else; ArchiveError `ENGINE_MISSING` if DuckDB cannot be loaded
 * @example
 * const mentions = await archive.mentions("climate", { maxItems: 500 });
 * const counts = await sql("select person, count(*) as n from mentions group by person order by n desc", { mentions });
 * counts.columns; //=> ["person", "n"]
 */
export async function sql(query: string, tables: Readonly<Record<string, SqlTable>>): Promise<PolarsFrame> {
  if (typeof query !== "string" || query.trim() === "")
    throw invalid("query", query, 'Give a text, for example "select count(*) from mentions".');
  const lazy = lazyTables(tables);
  const { frame, tableNames } = await withDuckDB((connection, directory) => run(connection, directory, query, lazy));
  const provenances = tableNames.map((name) => provenanceOf(tables[name])).filter((each) => each !== undefined);
  const [first, ...others] = provenances;
  if (first === undefined) return frame;
  return setProvenance(frame, deriveProvenance(first, { verb: "sql", text: `queried with ${query}` }, others));
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

/** Runs a query. Writes only the tables that DuckDB reports as missing, as Parquet files. */
async function run(
  connection: DuckDBConnection,
  directory: string,
  query: string,
  tables: Readonly<Record<string, LazyFrame>>,
): Promise<{ frame: PolarsFrame; tableNames: readonly string[] }> {
  const tableNames: string[] = [];
  for (;;) {
    try {
      // In parentheses, the query cannot begin another statement.
      await connection.run(`create table ${identifier(RESULT)} as from (\n${query.replace(/;\s*$/, "")}\n)`);
      return { frame: await tableFrame(connection, RESULT, directory), tableNames };
    } catch (error) {
      const { message } = error as Error;
      const missing = /^Catalog Error: Table with name (\w+) does not exist/.exec(message)?.[1]?.toLowerCase();
      const name = Object.keys(tables).find((each) => each.toLowerCase() === missing);
      if (name === undefined || tableNames.includes(name))
        throw queryError(query, message, missing, Object.keys(tables));
      const path = join(directory, `${tableNames.push(name)}.parquet`);
      await (tables[name] as LazyFrame).sinkParquet(path, { compression: "uncompressed" }).collect();
      await connection.run(`create view ${identifier(name)} as from read_parquet(${literal(path)})`);
    }
  }
}

/** DuckDB's error, with its hint or ours. */
function queryError(
  query: string,
  message: string,
  missing: string | undefined,
  names: readonly string[],
): ValidationError {
  if (missing !== undefined) {
    const hint = names.length === 0 ? "There are no tables." : `The tables are ${names.join(", ")}.`;
    return invalid("query", query, `${quoted(missing)} is not one of the tables. ${hint}`);
  }
  const [problem = "", advice = ""] = message.split("\n");
  // A list of the variants of a function, which begins with a tab, is not advice.
  let hint = "Give one SELECT that reads only its tables, no files.";
  if (/^Binder/.test(problem)) hint = "Check the names of the columns: select * from … limit 1 shows them.";
  if (/^\w/.test(advice)) hint = advice.replace(/[^.?]$/, "$&.");
  return faulty("query", problem.replace(/[.!]$/, ""), hint);
}

import { ArchiveError } from "../errors/index.js";
import { checkedOptions, faulty, invalid, oneOf } from "../errors/validators.js";
import { type Engine, type FrameTypes, isPolarsFrame } from "../frames/engine.js";
import { isLazyFrame } from "../frames/frameBatches.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { isObject } from "../util/isObject.js";
import { loadDuckDB, queryDuckDB } from "./duckdb.js";

/** Options of `sql`. */
export interface SqlOptions {
  /** Which SQL: that of DuckDB (`npm install @duckdb/node-api`, 70 MB), or that of polars, which has less. Default: DuckDB if it is installed. */
  engine?: "duckdb" | "polars" | undefined;
}

/** A table of a query: a frame or a lazy frame. */
export type SqlTable = FrameTypes[Engine] | LazyFrame;

/**
 * Queries frames with SQL. A query only reads, and only the given tables: names of files and other statements are refused. The result has the
 * provenance of the tables that it comes from.
 *
 * @param query one SELECT
 * @param tables frames or lazy frames by the name that the query gives them
 * @param options see {@link SqlOptions}
 * @returns a polars frame. With DuckDB, a sum of whole numbers is Float64: cast it (`sum(length)::bigint`) for Int64
 * @throws ValidationError for a query that fails, or reads anything but the tables
 * @throws ArchiveError `ENGINE_MISSING` if DuckDB is asked for and not installed
 * @example
 * const mentions = await archive.mentions("climate", { maxItems: 500 });
 * const counts = await sql("select person, count(*) as n from mentions group by person order by n desc", { mentions });
 * counts.columns; //=> ["person", "n"]
 */
export async function sql(
  query: string,
  tables: Readonly<Record<string, SqlTable>>,
  options: SqlOptions = {},
): Promise<PolarsFrame> {
  if (typeof query !== "string" || query.trim() === "")
    throw invalid("query", query, 'Give a text, for example "select count(*) from mentions".');
  const { engine } = checkedOptions<SqlOptions>(options, ["engine"], "option of sql");
  if (engine !== undefined) oneOf("engine", engine, ["duckdb", "polars"]);
  const lazy = lazyTables(tables);
  const duckdb = engine === "polars" ? undefined : await loadDuckDB();
  if (engine === "duckdb" && duckdb === undefined)
    throw new ArchiveError("DuckDB cannot be loaded.", {
      code: "ENGINE_MISSING",
      hint: "Type npm install @duckdb/node-api, or leave out the engine.",
    });
  const { frame, used } =
    duckdb === undefined ? await queryPolars(query, lazy) : await queryDuckDB(duckdb, query, lazy);
  const [first, ...others] = used.map((name) => provenanceOf(tables[name])).filter((known) => known !== undefined);
  if (first === undefined) return frame;
  const steps = others.flatMap((other) => other.steps ?? []);
  return setProvenance(frame, derived(first, stepOf("sql", "summary", [query], steps), others));
}

function lazyTables(tables: unknown): Record<string, LazyFrame> {
  if (!isObject(tables)) throw invalid("tables", tables, "Give frames by name, for example { mentions: frame }.");
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => {
      if (!/^[a-z_]\w{0,60}$/i.test(name)) throw invalid("tables", name, "Give a name of letters, digits and _.");
      if (isObject(table) && isLazyFrame(table)) return [name, table];
      return [name, (isPolarsFrame(table) ? table : toDataFrame(table)).lazy()];
    }),
  );
}

/** Polars' SQL has functions that read files, by these names, and statements that change its tables. */
const READS_FILES = /read_(?:csv|parquet|ipc|json|ndjson)/i;
const IS_SELECT = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/|\()*(?:select|with)\b/i;

async function queryPolars(query: string, tables: Readonly<Record<string, LazyFrame>>) {
  const names = Object.keys(tables);
  if (!IS_SELECT.test(query)) throw invalid("query", query, "Give one SELECT.");
  if (READS_FILES.test(query)) throw invalid("query", query, `Read the tables only: ${names.join(", ")}.`);
  try {
    const frame: PolarsFrame = await pl
      .SQLContext(tables as never)
      .execute(query, { eager: false })
      .collect();
    return { frame, used: names.filter((name) => new RegExp(`\\b${name}\\b`, "i").test(query)) };
  } catch (error) {
    const hint = "This is the SQL of polars. For that of DuckDB, type npm install @duckdb/node-api.";
    throw faulty("query", String((error as Error).message.split("\n")[0]), hint);
  }
}

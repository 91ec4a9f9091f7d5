import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBArrayType, DuckDBConnection, DuckDBListType, DuckDBType } from "@duckdb/node-api";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { identifier, literal } from "./openDuckDB.js";

/**
 * Converts a DuckDB table to a polars frame. Structs and maps become JSON, also in lists. Decimals become Float64 and 128-bit integers
 * Int64 if that is exact for every value of the column, otherwise text. Types and values that polars does not have, such as infinite
 * dates, become text.
 *
 * @param directory where DuckDB may write a file
 * @param names the column names, if they are not those of the table: DuckDB does not allow two that differ only in case
 */
export async function tableFrame(
  connection: DuckDBConnection,
  table: string,
  directory: string,
  names?: readonly string[],
): Promise<PolarsFrame> {
  const rows = await connection.run(`select * from ${identifier(table)} limit 0`);
  const columns = rows.columnNames().map(identifier);
  const conversions = columns.map((column, at) => conversionOf(column, rows.columnType(at)));
  const checks = conversions.map(({ isExact = "true" }, at) => `bool_and(${columns[at]} is null or ${isExact})`);
  const exact = await connection.runAndReadAll(`select ${checks.join()} from ${identifier(table)}`);
  const values = columns.map((column, at) => {
    // Null if the table has no rows.
    const isText = exact.getRows()[0]?.[at] === false;
    return `${isText ? `${column}::varchar` : conversions[at]?.converted} as c${at}`;
  });
  const path = join(directory, "result.parquet");
  const select = `select ${values.join()} from ${identifier(table)}`;
  await connection.run(`copy (${select}) to ${literal(path)} (format parquet, compression uncompressed)`);
  const frame = pl.readParquet(await readFile(path));
  frame.columns = uniqueNames(names ?? rows.columnNames());
  return frame;
}

/** Unique column names: a duplicate gets a number. */
function uniqueNames(texts: readonly string[]): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    let name = text.toWellFormed();
    for (let number = 1; names.has(name); number++) name = `${text.toWellFormed()}_${number}`;
    names.add(name);
  }
  return [...names];
}

/** An SQL expression of a type that polars has, and the condition under which it is exact. */
interface Conversion {
  readonly converted: string;
  readonly isExact?: string;
}

const COMMON_TYPES = /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE)$/;
const TIMES = /^(?:DATE|TIMESTAMP\w*|TIMESTAMP WITH TIME ZONE)$/;

function conversionOf(value: string, type: DuckDBType): Conversion {
  const name = String(type);
  const narrow = /^DECIMAL/.test(name) ? "DOUBLE" : /^(?:U?HUGEINT|BIGNUM)$/.test(name) ? "BIGINT" : undefined;
  if (isList(type)) {
    // Even VARCHAR needs a cast: JSON has its name.
    const { converted } = conversionOf("item", type.valueType);
    return { converted: `list_transform(${value}, lambda item: ${converted})` };
  }
  if (narrow !== undefined) {
    const converted = `try_cast(${value} as ${narrow})`;
    return { converted, isExact: `coalesce(try_cast(${converted} as ${name}) = ${value}, false)` };
  }
  if (TIMES.test(name)) return { converted: value, isExact: `isfinite(${value})` };
  if (/^TIME(?:_NS)?$/.test(name)) return { converted: value, isExact: `${value} < '24:00:00'` };
  if (COMMON_TYPES.test(name)) return { converted: value };
  return { converted: `${/^(?:STRUCT|MAP|UNION|VARIANT)\b/.test(name) ? `to_json(${value})` : value}::varchar` };
}

function isList(type: DuckDBType): type is DuckDBListType | DuckDBArrayType {
  return "valueType" in type && !("keyType" in type);
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBArrayType, DuckDBConnection, DuckDBListType, DuckDBStructType, DuckDBType } from "@duckdb/node-api";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { identifier, literal } from "./openDuckDB.js";

interface Column {
  readonly path: readonly string[];
  /** An SQL expression. */
  readonly value: string;
  readonly type: DuckDBType;
}

/**
 * Converts a DuckDB table to a polars frame. A struct becomes dotted columns; maps, and structs or maps in lists, become JSON. Decimals
 * become Float64 and 128-bit integers Int64 if that is exact for every value of the column, otherwise text. Types and values that polars
 * does not have, such as infinite dates, become text.
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
  const columns = await tableColumns(connection, table, names);
  const conversions = columns.map(({ value, type }) => conversionOf(value, type));
  const checks = conversions.map(({ isExact = "true" }, at) => `bool_and(${columns[at]?.value} is null or ${isExact})`);
  const exact = await connection.runAndReadAll(`select ${checks.join()} from ${identifier(table)}`);
  const values = columns.map(({ value }, at) => {
    // Without rows it is null.
    const isText = exact.getRows()[0]?.[at] === false;
    return `${isText ? `${value}::varchar` : conversions[at]?.converted} as c${at}`;
  });
  const path = join(directory, "result.parquet");
  const select = `select ${values.join()} from ${identifier(table)}`;
  await connection.run(`copy (${select}) to ${literal(path)} (format parquet, compression uncompressed)`);
  const frame = pl.readParquet(await readFile(path));
  frame.columns = frameNames(columns.map(({ path }) => path));
  return frame;
}

/** The columns of a table. Structs are replaced by their members. */
async function tableColumns(connection: DuckDBConnection, table: string, names?: readonly string[]): Promise<Column[]> {
  const rows = await connection.run(`select * from ${identifier(table)} limit 0`);
  return rows
    .columnNames()
    .flatMap((name, at) =>
      members({ path: [names?.[at] ?? name], value: identifier(name), type: rows.columnType(at) }),
    );
}

/** Unique column names: a duplicate gets a number. */
function frameNames(paths: ReadonlyArray<readonly string[]>): string[] {
  const names = new Set<string>();
  for (const path of paths) {
    const joined = path.join(".").toWellFormed();
    let name = joined;
    for (let number = 1; names.has(name); number++) name = `${joined}_${number}`;
    names.add(name);
  }
  return [...names];
}

function members({ path, value, type }: Column): Column[] {
  if (!("entryNames" in type)) return [{ path, value, type }];
  const { entryNames, entryTypes } = type as DuckDBStructType;
  return entryTypes.flatMap((entryType, at) => {
    // The members of a tuple have no names.
    const [name, key] = entryNames[at] ? [entryNames[at], literal(entryNames[at])] : [String(at + 1), at + 1];
    return members({ path: [...path, name], value: `struct_extract(${value}, ${key})`, type: entryType });
  });
}

/** An SQL expression of a type that polars has, and the condition under which it represents a value. */
interface Conversion {
  readonly converted: string;
  readonly isExact?: string;
}

/** Types that polars has too. */
const NATIVE = /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE)$/;
const TIMES = /^(?:DATE|TIMESTAMP\w*|TIMESTAMP WITH TIME ZONE)$/;

function conversionOf(value: string, type: DuckDBType): Conversion {
  const name = String(type);
  const narrow = /^DECIMAL/.test(name) ? "DOUBLE" : /^(?:U?HUGEINT|BIGNUM)$/.test(name) ? "BIGINT" : undefined;
  if (isList(type)) {
    // JSON is VARCHAR by name, and only becomes text by a cast.
    const { converted } = conversionOf("item", type.valueType);
    return { converted: `list_transform(${value}, lambda item: ${converted})` };
  }
  if (narrow !== undefined) {
    const converted = `try_cast(${value} as ${narrow})`;
    return { converted, isExact: `coalesce(try_cast(${converted} as ${name}) = ${value}, false)` };
  }
  if (TIMES.test(name)) return { converted: value, isExact: `isfinite(${value})` };
  if (/^TIME(?:_NS)?$/.test(name)) return { converted: value, isExact: `${value} < '24:00:00'` };
  if (NATIVE.test(name)) return { converted: value };
  return { converted: `${/^(?:STRUCT|MAP|UNION|VARIANT)\b/.test(name) ? `to_json(${value})` : value}::varchar` };
}

function isList(type: DuckDBType): type is DuckDBListType | DuckDBArrayType {
  return "valueType" in type && !("keyType" in type);
}

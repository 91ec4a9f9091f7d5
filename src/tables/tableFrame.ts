import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBArrayType, DuckDBConnection, DuckDBListType, DuckDBStructType, DuckDBType } from "@duckdb/node-api";
import { simpleColumnName, warnOfNames } from "../frames/columnName.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { identifier, literal } from "./openDuckDB.js";

interface Column {
  readonly path: readonly string[];
  /** An SQL expression. */
  readonly value: string;
  readonly type: DuckDBType;
}

/** Types that polars has too. */
const NATIVE =
  /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|DATE|TIME|TIME_NS|TIMESTAMP\w*|TIMESTAMP WITH TIME ZONE)$/;

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
  if (columns.length === 0) return pl.DataFrame({});
  const narrowed = await narrowedTypes(connection, table, columns);
  const values = columns.map((column, at) => `${converted(column, narrowed.get(at))} as c${at}`);
  const path = join(directory, "result.parquet");
  const select = `select ${values.join()} from ${identifier(table)}`;
  await connection.run(`copy (${select}) to ${literal(path)} (format parquet, compression uncompressed)`);
  const frame = pl.readParquet(await readFile(path));
  frame.columns = frameNames(columns.map(({ path }) => path));
  return frame;
}

/** The columns of a table. Structs are replaced by their members. */
export async function tableColumns(
  connection: DuckDBConnection,
  table: string,
  names?: readonly string[],
): Promise<Column[]> {
  const rows = await connection.run(`select * from ${identifier(table)} limit 0`);
  return rows
    .columnNames()
    .flatMap((name, at) =>
      members({ path: [names?.[at] ?? name], value: identifier(name), type: rows.columnType(at) }),
    );
}

/** Unique column names: a duplicate gets a number. */
function frameNames(paths: ReadonlyArray<readonly string[]>): string[] {
  const taken = new Set<string>();
  const columns = paths.map((path) => {
    const wanted = simpleColumnName(path);
    let name = wanted;
    for (let number = 1; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    return { path, name };
  });
  warnOfNames(columns);
  return columns.map(({ name }) => name);
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

/** The types of columns that polars may not have: a narrower type if it represents all values exactly, otherwise text. */
async function narrowedTypes(connection: DuckDBConnection, table: string, columns: readonly Column[]) {
  const open = columns.flatMap(({ value, type }, at) => {
    const [narrow, fits] = narrowing(value, String(type));
    return fits === undefined ? [] : [{ at, narrow, fits: `bool_and(${value} is null or coalesce(${fits}, false))` }];
  });
  if (open.length === 0) return new Map<number, string>();
  const found = await connection.runAndReadAll(
    `select ${open.map(({ fits }) => fits).join()} from ${identifier(table)}`,
  );
  const [fits = []] = found.getRows();
  // Without rows it is null.
  return new Map(open.map(({ at, narrow }, index) => [at, fits[index] === false ? "VARCHAR" : narrow]));
}

/** A type that polars has, and the condition under which it represents a value. */
function narrowing(value: string, type: string): [narrow: string, fits?: string] {
  const narrow = /^DECIMAL\(\d+,\d+\)$/.test(type) ? "DOUBLE" : /^(?:U?HUGEINT|BIGNUM)$/.test(type) ? "BIGINT" : "";
  if (narrow !== "") return [narrow, `try_cast(try_cast(${value} as ${narrow}) as ${type}) = ${value}`];
  if (/^(?:DATE|TIMESTAMP)/.test(type)) return [type, `isfinite(${value})`];
  return /^TIME(?:_NS)?$/.test(type) ? [type, `${value} < '24:00:00'`] : [type];
}

function converted({ value, type }: Column, narrowed: string | undefined): string {
  const target = narrowed ?? polarsType(type);
  // JSON is VARCHAR by name, and only becomes text by a cast.
  if (target !== undefined) return `${value}::${target}`;
  return isList(type) ? `list_transform(${value}, lambda item: to_json(item)::varchar)` : `to_json(${value})::varchar`;
}

/** The DuckDB type to cast to, which polars has too; undefined for nested values. */
function polarsType(type: DuckDBType): string | undefined {
  if (isList(type)) {
    const items = polarsType(type.valueType);
    return items && `${items}[]`;
  }
  const name = String(type);
  if (/^(?:STRUCT|MAP|UNION|VARIANT)\b/.test(name)) return undefined;
  // Up to 15 digits are exact.
  if (Number(/^DECIMAL\((\d+),/.exec(name)?.[1]) <= 15) return "DOUBLE";
  return NATIVE.test(name) ? name : "VARCHAR";
}

function isList(type: DuckDBType): type is DuckDBListType | DuckDBArrayType {
  return "valueType" in type && !("keyType" in type);
}

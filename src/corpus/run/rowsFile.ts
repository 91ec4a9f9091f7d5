import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { cellFlag, columnType, flagOf } from "../../frames/dtypes.js";
import { parseExact, stringifyExact } from "../../frames/exactJson.js";
import { FrameBuilder } from "../../frames/frameBuilder.js";
import { pl } from "../../frames/polars.js";
import { declaredSchema, rowsJson, type ScannedRows } from "../../pages/rows.js";
import { scanPage } from "../../pages/scanPage.js";
import type { DeclaredColumns } from "../../service/operations/columns.js";
import { operations } from "../../service/operations/operations.js";
import { identifier } from "../../tables/openDuckDB.js";
import { byCodeUnit } from "../../util/lists.js";
import { sqlValue } from "../database/database.js";
import { columnsOf, OPERATIONS, type ServiceTable, TYPES } from "../database/tables.js";

/** A Parquet file with rows for the database. */
export interface RowsFile {
  readonly path: string;
  /** An SQL query for its rows in the types of their table, with `part`, the index of their pages, and `row`, their position in the file. */
  readonly rows: string;
}

/** @param parts lists of pages. Their index becomes the `part` of their rows */
export function writeRowsFile(
  directory: string,
  table: ServiceTable,
  parts: ReadonlyArray<readonly ScannedRows[]>,
): RowsFile {
  const { columns } = operations[OPERATIONS[table]];
  const builder = new FrameBuilder(columns);
  const [more, part]: [Array<string | null>, number[]] = [[], []];
  for (const [number, pages] of parts.entries())
    for (const page of pages) {
      const { rows, otherMembers } = page.records.isUniform
        ? { rows: page, otherMembers: [] }
        : splitMembers(page, columns);
      builder.add(rows);
      for (let row = 0; row < page.records.rows; row++) {
        more.push(otherMembers[row] ?? null);
        part.push(number);
      }
    }
  const path = join(directory, `${randomUUID()}.parquet`);
  const rows = builder
    .take()
    .withColumns(
      pl.Series("more", more, pl.String),
      pl.Series("part", Int32Array.from(part) as unknown as number[], pl.Int32),
    );
  rows.writeParquet(path, { compression: "uncompressed" });
  return { path, rows: rowsQuery(path, table) };
}

function rowsQuery(path: string, table: ServiceTable): string {
  const names = [...Object.keys(operations[OPERATIONS[table]].columns), "more"];
  const cells = columnsOf(table)
    .filter(([name]) => names.includes(name))
    .map(([name, [type]]) => `try_cast(${identifier(name)} as ${TYPES[type][0]}) as ${identifier(name)}`);
  return `select part, file_row_number as row, ${cells.join(", ")} from read_parquet(${sqlValue(path)}, file_row_number = true)`;
}

/** Splits rows into declared members, and all others as JSON: those that are undeclared, or have another type. */
function splitMembers(page: ScannedRows, columns: DeclaredColumns) {
  const otherMembers: Array<string | null> = [];
  const rows = (parseExact(rowsJson(page)) as Array<Record<string, unknown>>).map((row) => {
    const members = Object.entries(row).filter(([, value]) => value !== null);
    const [declared, undeclared] = [members.filter(fits), members.filter((one) => !fits(one))];
    undeclared.sort(([a], [b]) => byCodeUnit(a, b));
    otherMembers.push(undeclared.length === 0 ? null : stringifyExact(Object.fromEntries(undeclared)));
    return Object.fromEntries(
      declared.map(([name, value]) => [name, name === "id" && columns.id === "string" ? String(value) : value]),
    );
  });
  return { rows: scanPage(Buffer.from(stringifyExact({ rows })), "rows", declaredSchema(columns)), otherMembers };

  function fits([name, value]: [string, unknown]): boolean {
    const type = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (type === undefined) return false;
    // Ids of digits may be sent as numbers.
    if (name === "id" && type === "string") return ["string", "number", "bigint"].includes(typeof value);
    return columnType(flagOf(type) | cellFlag(value, flagOf(type))) === type;
  }
}

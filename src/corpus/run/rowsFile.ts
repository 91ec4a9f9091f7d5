import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { cellFlag, columnType, flagOf } from "../../frames/dtypes.js";
import { parseExact, stringifyExact } from "../../frames/exactJson.js";
import { FrameBuilder } from "../../frames/frameBuilder.js";
import { pl } from "../../frames/polars.js";
import { declaredShape, rowsJson, type ScannedRows } from "../../pages/rows.js";
import { scanPage } from "../../pages/scanPage.js";
import type { DeclaredColumns } from "../../service/operations/columns.js";
import { operations } from "../../service/operations/operations.js";
import { identifier } from "../../tables/openDuckDB.js";
import { byCodeUnit } from "../../util/lists.js";
import { sqlValue } from "../database/database.js";
import { columnsOf, OPERATIONS, type ServedTable, TYPES } from "../database/tables.js";

/** Rows of pages as a Parquet file for the database. */
export interface RowsFile {
  readonly path: string;
  /** SQL: its rows as those of their table, with `part`, the number of a list of pages, and `row`, their position in the file. */
  readonly rows: string;
}

/** Writes rows to a file: lists of pages, by the `part` of their rows. */
export function writeRows(
  directory: string,
  table: ServedTable,
  parts: ReadonlyArray<readonly ScannedRows[]>,
): RowsFile {
  const { columns } = operations[OPERATIONS[table]];
  const builder = new FrameBuilder(columns);
  const [more, part]: [Array<string | null>, number[]] = [[], []];
  for (const [number, pages] of parts.entries())
    for (const page of pages) {
      const { declared, rest } = page.tape.isUniform ? { declared: page, rest: [] } : separateRest(page, columns);
      builder.add(declared);
      for (let row = 0; row < page.tape.rows; row++) {
        more.push(rest[row] ?? null);
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

function rowsQuery(path: string, table: ServedTable): string {
  const names = [...Object.keys(operations[OPERATIONS[table]].columns), "more"];
  const cells = columnsOf(table)
    .filter(([name]) => names.includes(name))
    .map(([name, [type]]) => `try_cast(${identifier(name)} as ${TYPES[type][0]}) as ${identifier(name)}`);
  return `select part, file_row_number as row, ${cells.join(", ")} from read_parquet(${sqlValue(path)}, file_row_number = true)`;
}

/** Divides rows into the members that the service declares, and the others of each row as JSON: those that are not declared, or have another type. */
function separateRest(page: ScannedRows, columns: DeclaredColumns) {
  const rest: Array<string | null> = [];
  const rows = (parseExact(rowsJson(page)) as Array<Record<string, unknown>>).map((row) => {
    const members = Object.entries(row).filter(([, value]) => value !== null);
    const [fitting, others] = [members.filter(fits), members.filter((one) => !fits(one))];
    rest.push(
      others.length === 0 ? null : stringifyExact(Object.fromEntries(others.sort(([a], [b]) => byCodeUnit(a, b)))),
    );
    return Object.fromEntries(
      fitting.map(([name, value]) => [name, name === "id" && columns.id === "string" ? String(value) : value]),
    );
  });
  const declared = scanPage(Buffer.from(stringifyExact({ rows })), "rows", declaredShape(columns));
  return { declared, rest };

  function fits([name, value]: [string, unknown]): boolean {
    const type = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (type === undefined) return false;
    // Ids of digits may be sent as numbers.
    if (name === "id" && type === "string") return ["string", "number", "bigint"].includes(typeof value);
    return columnType(flagOf(type) | cellFlag(value, flagOf(type))) === type;
  }
}

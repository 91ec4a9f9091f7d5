import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { writeRows } from "../../src/files/writeRows.js";
import { type FormatOptions, type PolarsFrame, pl, type SaveFormat } from "../../src/index.js";

/** Reads the bytes of files that polars writes itself. */
export const readers = {
  parquet: (bytes: Buffer): PolarsFrame => pl.readParquet(bytes),
  arrow: (bytes: Buffer): PolarsFrame => pl.readIPC(bytes),
} as const;

/** A column of whole numbers, exact. */
export function integers(name: string, values: ReadonlyArray<bigint | null>): pl.Series {
  const digits = values.map((value) => (value === null ? null : String(value)));
  return pl.Series(name, digits, pl.Utf8).cast(pl.Int64);
}

let outputs = 0;

/** Writes frames below a folder, each time to a new place, and gives the path of the file or dataset. */
export async function written(
  root: string,
  format: SaveFormat,
  frames: readonly PolarsFrame[],
  formatOptions: FormatOptions = {},
): Promise<string> {
  const folder = join(root, String(outputs++));
  const scratch = join(folder, "scratch");
  mkdirSync(scratch, { recursive: true });
  const path = join(folder, "output");
  const files = frames.map((frame, at) => {
    const file = join(scratch, `${at}.arrow`);
    writeFileSync(file, frame.writeIPC());
    return file;
  });
  await writeRows(files, { path, scratch, name: "mentions" }, { format, formatOptions }, undefined);
  return path;
}

/** A frame cut before some of its rows. */
export function cut(frame: PolarsFrame, ...at: readonly number[]): PolarsFrame[] {
  const places = [0, ...at.map((place) => Math.min(place, frame.height)).sort((a, b) => a - b), frame.height];
  return places.slice(1).map((to, i) => frame.slice(places[i] as number, to - (places[i] as number)));
}

/** A frame of lines of JSON, of which the first only says what the columns are. */
export function frameOf(rows: readonly object[], moments: readonly string[] = []): PolarsFrame {
  const frame = pl.readJSON(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")), {
    format: "lines",
    inferSchemaLength: 1,
  });
  const typed = moments.reduce(
    (kept, name) => kept.withColumns(kept.getColumn(name).str.strptime(pl.Datetime("ms"), "%+")),
    frame,
  );
  return typed.slice(1, frame.height - 1);
}

/** The rows that DuckDB gives for a query, values as JSON, and the types of the columns. */
export async function duck(sql: string): Promise<{ rows: unknown[][]; types: string[]; names: string[] }> {
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    const reader = await connection.runAndReadAll(sql);
    return {
      rows: reader.getRowsJson() as unknown[][],
      types: reader.columnTypes().map(String),
      names: reader.columnNames(),
    };
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}

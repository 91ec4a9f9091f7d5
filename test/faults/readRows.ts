import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { pl, type SaveFormat, toRecords } from "../../src/index.js";

interface Spreadsheets {
  read(bytes: Buffer): { Sheets: Record<string, unknown>; SheetNames: string[] };
  utils: { sheet_to_json(sheet: unknown): object[] };
}

// A dependency of danfo.
const { read, utils } = createRequire(import.meta.url)("xlsx") as Spreadsheets;

/** Readers of the formats, where possible by a library that did not write them. */
const READERS: Readonly<Record<SaveFormat, (bytes: Buffer) => object[]>> = {
  csv: (bytes) => toRecords(pl.readCSV(bytes, { inferSchemaLength: 0 })),
  json: (bytes) => JSON.parse(bytes.toString()),
  jsonl: (bytes) => JSON.parse(`[${bytes.toString().trimEnd().replaceAll("\n", ",")}]`),
  xlsx: (bytes) => {
    const { Sheets, SheetNames } = read(bytes);
    return utils.sheet_to_json(Sheets[SheetNames[0] as string]);
  },
  parquet: (bytes) => toRecords(pl.readParquet(bytes)),
  arrow: (bytes) => toRecords(pl.readIPC(bytes)),
};

/** The rows of a file. */
export function readRows(path: string): object[] {
  return READERS[extname(path).slice(1) as SaveFormat](readFileSync(path));
}

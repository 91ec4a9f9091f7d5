import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { pl } from "../../src/index.js";

interface Spreadsheets {
  read(bytes: Buffer): { Sheets: Record<string, unknown>; SheetNames: string[] };
  utils: { sheet_to_json(sheet: unknown): object[] };
}

const require = createRequire(import.meta.url);

/** The rows of a file, read by a library that did not write it if possible. */
export async function readRows(path: string): Promise<object[]> {
  const bytes = readFileSync(path);
  switch (extname(path)) {
    case ".csv":
      return pl.readCSV(bytes, { inferSchemaLength: 0 }).toRecords() as object[];
    case ".json":
      return JSON.parse(bytes.toString()) as object[];
    case ".jsonl":
      return bytes
        .toString()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as object);
    case ".xlsx": {
      // xlsx is a dependency of danfo.
      const { read, utils } = require("xlsx") as Spreadsheets;
      const { Sheets, SheetNames } = read(bytes);
      return utils.sheet_to_json(Sheets[SheetNames[0] as string]);
    }
    case ".parquet":
      return pl.readParquet(bytes).toRecords() as object[];
    default:
      return pl.readIPC(bytes).toRecords() as object[];
  }
}

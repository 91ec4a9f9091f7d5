import { extname } from "node:path";
import { invalid, oneOf } from "../errors/validators.js";

/** What files are written as. */
export type SaveFormat = "csv" | "json" | "jsonl" | "xlsx" | "parquet" | "arrow";

/** The formats, the default first. */
export const SAVE_FORMATS: readonly SaveFormat[] = ["csv", "json", "jsonl", "xlsx", "parquet", "arrow"];

const BY_EXTENSION: Readonly<Record<string, SaveFormat>> = {
  csv: "csv",
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
  xlsx: "xlsx",
  parquet: "parquet",
  pq: "parquet",
  arrow: "arrow",
  ipc: "arrow",
  feather: "arrow",
};

/** Names that promise something else than any of the formats. */
const OTHERS = new Set([
  "tsv",
  "xls",
  "xlsm",
  "xlsb",
  "ods",
  "gz",
  "zip",
  "bz2",
  "xz",
  "zst",
  "orc",
  "avro",
  "db",
  "sqlite",
]);

/**
 * The format of a file: the one that is asked for, else the one that its name says, else CSV.
 *
 * @param name the file's name or path; `undefined` where the name will follow from the format
 * @throws ValidationError where the name promises another format
 * @example
 * saveFormat(undefined, "climate.parquet"); //=> "parquet"
 * saveFormat("XLSX", undefined); //=> "xlsx"
 */
export function saveFormat(format: unknown, name: string | undefined): SaveFormat {
  const asked =
    format === undefined
      ? undefined
      : oneOf("format", typeof format === "string" ? format.toLowerCase() : format, SAVE_FORMATS);
  const extension = name === undefined ? "" : extname(name).slice(1).toLowerCase();
  const named = BY_EXTENSION[extension];
  if (asked === undefined && OTHERS.has(extension)) {
    throw invalid("dest", name, `Files are ${SAVE_FORMATS.join(", ")}: end the name so, or give format: "csv".`);
  }
  if (asked !== undefined && named !== undefined && asked !== named) {
    throw invalid("format", asked, `The name ${name} says ${named}: change one of them.`);
  }
  return asked ?? named ?? "csv";
}

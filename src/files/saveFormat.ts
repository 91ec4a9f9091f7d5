import { extname } from "node:path";
import { invalid, oneOf } from "../errors/validators.js";
import { option, wording } from "../errors/wording.js";

/** A file format. */
export type SaveFormat = "csv" | "json" | "jsonl" | "xlsx" | "parquet" | "arrow";

/** All file formats, the default first. */
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

/** Extensions of formats that we do not write. */
const UNSUPPORTED = new Set([
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
 * The format of a file: the given one, otherwise by the extension, otherwise CSV.
 *
 * @param name name or path of the file; undefined if the name will follow from the format
 * @throws ValidationError if the extension belongs to another format
 * @example
 * saveFormat(undefined, "climate.parquet"); //=> "parquet"
 * saveFormat("XLSX", undefined); //=> "xlsx"
 */
export function saveFormat(format: unknown, name: string | undefined): SaveFormat {
  const given =
    format === undefined
      ? undefined
      : oneOf("format", typeof format === "string" ? format.toLowerCase() : format, SAVE_FORMATS);
  const extension = name === undefined ? "" : extname(name).slice(1).toLowerCase();
  const implied = BY_EXTENSION[extension];
  if (given === undefined && UNSUPPORTED.has(extension)) {
    throw invalid(
      "dest",
      name,
      wording`Use one of the extensions ${SAVE_FORMATS.join(", ")}, or give ${option("format", "csv")}.`,
    );
  }
  if (given !== undefined && implied !== undefined && given !== implied) {
    throw invalid("format", given, `The extension of ${name} means ${implied}: change one of them.`);
  }
  return given ?? implied ?? "csv";
}

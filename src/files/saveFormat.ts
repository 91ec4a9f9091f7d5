import { extname } from "node:path";
import { didYouMean, invalid, oneOf } from "../errors/validators.js";

/** A file format. */
export type SaveFormat = "csv" | "json" | "jsonl" | "xlsx" | "parquet" | "arrow";

/** All file formats, the default first. */
export const SAVE_FORMATS: readonly SaveFormat[] = ["csv", "json", "jsonl", "xlsx", "parquet", "arrow"];

const BY_EXTENSION = new Map<string, SaveFormat>([
  ...SAVE_FORMATS.map((format) => [format, format] as const),
  ...([
    ["ndjson", "jsonl"],
    ["pq", "parquet"],
    ["ipc", "arrow"],
    ["feather", "arrow"],
  ] as const),
]);

/**
 * The format of a file: the given one, otherwise by extension. `.txt` or no extension is CSV.
 *
 * @param name name or path of the file; undefined if the name is derived from the format
 * @throws ValidationError if the extension belongs to another format, or to none and no format is given
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
  const implied = BY_EXTENSION.get(extension);
  if (given === undefined && implied === undefined && extension !== "" && extension !== "txt") {
    const hint = `Use one of the extensions ${SAVE_FORMATS.join(", ")}, or give format: "csv".`;
    throw invalid("dest", name, hint + didYouMean(extension, [...BY_EXTENSION.keys()]));
  }
  if (given !== undefined && implied !== undefined && given !== implied) {
    throw invalid("format", given, `The extension of ${name} means ${implied}: change one of them.`);
  }
  return given ?? implied ?? "csv";
}

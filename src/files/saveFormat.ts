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
 * The format of a file: the `format` option, otherwise by extension. `.txt` or no extension is CSV.
 *
 * @param name name or path of the file; undefined if the name is derived from the format
 * @throws ValidationError if the extension belongs to another format, or to none and no format is given
 * @example
 * saveFormat(undefined, "climate.parquet"); //=> "parquet"
 * saveFormat("XLSX", undefined); //=> "xlsx"
 */
export function saveFormat(format: unknown, name: string | undefined): SaveFormat {
  const option =
    format === undefined
      ? undefined
      : oneOf("format", typeof format === "string" ? format.toLowerCase() : format, SAVE_FORMATS);
  const extension = name === undefined ? "" : extname(name).slice(1).toLowerCase();
  const byExtension = BY_EXTENSION.get(extension);
  if (option === undefined && byExtension === undefined && extension !== "" && extension !== "txt") {
    const hint = `Use one of the extensions ${SAVE_FORMATS.join(", ")}, or give format: "csv".`;
    throw invalid("dest", name, hint + didYouMean(extension, [...BY_EXTENSION.keys()]));
  }
  if (option !== undefined && byExtension !== undefined && option !== byExtension) {
    throw invalid("format", option, `The extension of ${name} means ${byExtension}: change one of them.`);
  }
  return option ?? byExtension ?? "csv";
}

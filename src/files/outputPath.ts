import { basename, extname, join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { boolean, faulty, invalid } from "../errors/validators.js";
import { statOf, userPath } from "../fs/paths.js";
import type { FormatOptions } from "./frameWriter.js";
import { DATA_PACKAGE_FILE } from "./package/dataPackage.js";
import { type SaveFormat, saveFormat } from "./saveFormat.js";

/** The validated target of a result. */
export interface OutputPath {
  readonly path: string;
  readonly format: SaveFormat;
  /** The name of the rows: "mentions". */
  readonly name: string;
  /** Whether to describe the result in `datapackage.json`. */
  readonly hasDataPackage: boolean;
  readonly formatOptions: FormatOptions;
}

/** Where and how to write a result. */
export interface WriteOptions extends FormatOptions {
  /** "csv", "json", "jsonl", "xlsx", "parquet" or "arrow". Default: by the file extension, otherwise "csv". */
  format?: SaveFormat | undefined;
  /** Name of the file in the directory `dest`. Default: the operation, with the extension of the format. */
  filename?: string | undefined;
  /** Describe the file and its provenance in a `datapackage.json` next to it. Default true. */
  dataPackage?: boolean | undefined;
}

/** The names of {@link WriteOptions}. */
export const WRITE_OPTIONS: readonly string[] = ["format", "filename", "dataPackage", "bom", "excelSafe"];

const URL = /^[a-z][a-z0-9+.-]+:\/\//i;
/** A name that cannot lead out of its directory on any system. */
const FILENAME = /^(?!\.{1,2}$|[a-z]:)[^/\\\0]+$/i;

/**
 * Determines the target of a result. `dest` is a directory if it ends in `/`, exists as a directory, has no extension (`"out"`), or if
 * `filename` is given; the file in it is named after `name`. Otherwise it is a file.
 *
 * @throws ValidationError before any request or write
 */
export function outputPath(dest: unknown, name: string, options: WriteOptions): OutputPath {
  const expanded = userPath("dest", dest);
  if (URL.test(expanded)) throw invalid("dest", expanded, "Give the path of a local file, and copy it to its store.");
  const { filename, dataPackage = true } = options;
  if (filename !== undefined && !(typeof filename === "string" && FILENAME.test(filename)))
    throw invalid("filename", filename, 'Give a name without a path, for example filename: "climate.csv".');
  const hasDataPackage = boolean("dataPackage", dataPackage);
  const isDirectory = filename !== undefined || isDirectoryPath(expanded);
  const format = saveFormat(options.format, isDirectory ? filename : expanded);
  const path = isDirectory ? join(expanded, filename ?? `${name}.${format}`) : expanded;
  const formatOptions = checkFormatOptions(options, format);
  if (statOf(path)?.isDirectory())
    throw new ArchiveError(`${path} is a directory.`, {
      code: "TARGET_IS_DIRECTORY",
      hint: "Give the path of a file.",
      path,
    });
  if (hasDataPackage && basename(path).toLowerCase() === DATA_PACKAGE_FILE)
    throw invalid(
      "dest",
      path,
      `${DATA_PACKAGE_FILE} describes the saved files. Give another name, or { dataPackage: false }.`,
    );
  return { path, format, name, hasDataPackage, formatOptions };
}

function isDirectoryPath(path: string): boolean {
  if (path.endsWith("/") || (process.platform === "win32" && path.endsWith("\\"))) return true;
  const stats = statOf(path);
  return stats === undefined ? extname(path) === "" : stats.isDirectory();
}

function checkFormatOptions({ bom, excelSafe }: FormatOptions, format: SaveFormat): FormatOptions {
  for (const [name, value] of Object.entries({ bom, excelSafe })) {
    if (value === undefined) continue;
    boolean(name, value);
    // An option that does not affect the format is probably a mistake.
    if (format !== "csv")
      throw faulty(name, `it applies to csv, but the format is ${format}`, 'Omit it, or give format: "csv".');
  }
  return { bom, excelSafe };
}

import { basename, extname, join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { boolean, faulty, invalid } from "../errors/validators.js";
import { statOf } from "../fs/statOf.js";
import { userPath } from "../fs/userPath.js";
import { isObject } from "../util/isObject.js";
import type { FormatOptions, PartitionBy } from "./frameWriter.js";
import { DATA_PACKAGE_FILE } from "./package/dataPackage.js";
import { checkPartitionBy } from "./partitions.js";
import { type SaveFormat, saveFormat } from "./saveFormat.js";

/** The validated target of a result. */
export interface OutputPath {
  /** The file, the directory of a partitioned dataset, or the URL of an object store. */
  readonly path: string;
  readonly format: SaveFormat;
  /** The name of the rows: "mentions". */
  readonly name: string;
  /** Whether the target is an object store. */
  readonly isRemote: boolean;
  /** Whether to describe the result in `datapackage.json`. */
  readonly hasDataPackage: boolean;
  readonly formatOptions: FormatOptions;
}

/**
 * Where and how to write a result.
 *
 * @example
 * await archive.save("bills", "out/", { query: "budget", format: "xlsx" }); //=> "out/bills.xlsx"
 */
export interface WriteOptions extends FormatOptions {
  /** "csv", "json", "jsonl", "xlsx", "parquet" or "arrow". Default: by the file extension; "csv" without one. */
  format?: SaveFormat | undefined;
  /** Name of the file in the directory `dest`. Default: the operation, with the extension of the format. */
  filename?: string | undefined;
  /** Describe the file and its provenance in a `datapackage.json` next to it. Default true. */
  dataPackage?: boolean | undefined;
}

/** `partitionBy` requires Parquet: `format` must be `"parquet"` or undefined. */
export type PartitionedFormat =
  | { readonly format?: "parquet" | undefined; readonly partitionBy?: PartitionBy | undefined }
  | { readonly format?: SaveFormat | undefined; readonly partitionBy?: undefined };

/** The names of {@link WriteOptions}. */
export const WRITE_OPTIONS: readonly string[] =
  "format filename dataPackage bom excelSafe partitionBy cloudOptions".split(" ");

const REMOTE = /^[a-z][a-z0-9+.-]+:\/\//i;
/** A plain name that cannot lead out of its directory on any system. */
const FILENAME = /^(?!\.{1,2}$|[a-z]:)[^/\\\0]+$/i;

/**
 * Determines the target of a result. `dest` is a directory if it ends in `/`, exists as a directory, has no extension (`"out"`), or if
 * `filename` is given; the file in it is named after `name`. Otherwise it is a file. With `partitionBy` it is the directory of the
 * dataset.
 *
 * @throws ValidationError before any request or write
 */
export function outputPath(dest: unknown, name: string, options: WriteOptions): OutputPath {
  const expanded = userPath("dest", dest);
  const { filename, dataPackage = true } = options;
  if (filename !== undefined && !(typeof filename === "string" && FILENAME.test(filename)))
    throw invalid("filename", filename, 'Give a name without a path, for example filename: "climate.csv".');
  const formatOptions = checkFormatOptions(options);
  const isRemote = REMOTE.test(expanded);
  const hasDataPackage = boolean("dataPackage", dataPackage) && !isRemote;
  const inDirectory = (file: string) => (isRemote ? `${withoutTrailingSlash(expanded)}/${file}` : join(expanded, file));
  if (formatOptions.partitionBy !== undefined) {
    const path = withoutTrailingSlash(filename === undefined ? expanded : inDirectory(filename));
    checkPartitioned(options.format, path, isRemote);
    return { path, format: "parquet", name, isRemote, hasDataPackage, formatOptions };
  }
  const isDirectory = filename !== undefined || isDirectoryPath(expanded, isRemote);
  const format = saveFormat(options.format, isDirectory ? filename : expanded);
  const path = isDirectory ? inDirectory(filename ?? `${name}.${format}`) : expanded;
  checkFile(path, format, isRemote, formatOptions);
  if (hasDataPackage && basename(path).toLowerCase() === DATA_PACKAGE_FILE)
    throw invalid(
      "dest",
      path,
      `${DATA_PACKAGE_FILE} describes the saved files. Give another name, or { dataPackage: false }.`,
    );
  return { path, format, name, isRemote, hasDataPackage, formatOptions };
}

function isDirectoryPath(path: string, isRemote: boolean): boolean {
  if (path.endsWith("/") || (process.platform === "win32" && path.endsWith("\\"))) return true;
  if (isRemote) return false;
  const stats = statOf(path);
  return stats === undefined ? extname(path) === "" : stats.isDirectory();
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/(?<=[^/])\/+$/, "");
}

function checkFormatOptions({ bom, excelSafe, partitionBy, cloudOptions }: FormatOptions): FormatOptions {
  for (const [name, value] of Object.entries({ bom, excelSafe })) if (value !== undefined) boolean(name, value);
  if (cloudOptions !== undefined && !isObject(cloudOptions))
    throw invalid("cloudOptions", "…", 'Give an object, for example cloudOptions: { aws_region: "eu-west-1" }.');
  const keys = partitionBy === undefined ? undefined : checkPartitionBy(partitionBy);
  return { bom, excelSafe, partitionBy: keys, cloudOptions };
}

function checkPartitioned(format: unknown, path: string, isRemote: boolean): void {
  if (format !== undefined && saveFormat(format, undefined) !== "parquet")
    throw invalid("format", format, 'A partitioned dataset consists of Parquet files: omit format, or give "parquet".');
  if (isRemote) throw invalid("dest", path, "A partitioned dataset can only be written to a local directory.");
  if (statOf(path)?.isFile())
    throw new ArchiveError(`${path} is a file, but partitionBy creates a directory.`, {
      code: "TARGET_IS_DIRECTORY",
      hint: 'Give another directory, for example "mentions/".',
      path,
    });
}

function checkFile(path: string, format: SaveFormat, isRemote: boolean, formatOptions: FormatOptions): void {
  // An option that does not affect the format is probably a mistake.
  for (const name of ["bom", "excelSafe"] as const) {
    if (formatOptions[name] !== undefined && format !== "csv")
      throw faulty(name, `it applies to csv, but the format is ${format}`, 'Omit it, or give format: "csv".');
  }
  if (isRemote && format !== "parquet" && format !== "arrow")
    throw invalid("dest", path, "Object stores support parquet and arrow. Write other formats to a local file.");
  if (!isRemote && statOf(path)?.isDirectory())
    throw new ArchiveError(`${path} is a directory.`, {
      code: "TARGET_IS_DIRECTORY",
      hint: "Give the path of a file.",
      path,
    });
}

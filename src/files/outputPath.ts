import { type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, isAbsolute, join, normalize } from "node:path";
import { FileError, ValidationError } from "../errors/index.js";
import { boolean, invalid, show } from "../errors/validators.js";
import type { FormatOptions, PartitionBy } from "./frameWriter.js";
import { DATA_PACKAGE } from "./package/dataPackage.js";
import { type SaveFormat, saveFormat } from "./saveFormat.js";
import { checkPartitionBy } from "./writers/hive/checkPartitionBy.js";

/** Where a result is to go, after checking. */
export interface OutputPath {
  /** The file, or the folder of a partitioned dataset, or an address of an object store. */
  readonly path: string;
  readonly format: SaveFormat;
  /** What the rows are, in a word. */
  readonly name: string;
  readonly remote: boolean;
  /** Described in `datapackage.json`. */
  readonly described: boolean;
  readonly formatOptions: FormatOptions;
}

/** What of the options says where a result is to go. */
export interface WriteOptions extends FormatOptions {
  /** "csv", "json", "jsonl", "xlsx", "parquet" or "arrow". Default: what the extension of the file says, else "csv". */
  format?: SaveFormat | undefined;
  /** Name of the file in `dest`, which then is a folder. */
  filename?: string | undefined;
  /** Say in the `datapackage.json` beside the file what it is and where its rows come from. Default true. */
  dataPackage?: boolean | undefined;
}

/** Only Parquet is partitioned: `partitionBy` goes with no other format. */
export type PartitionedFormat =
  | { readonly format?: "parquet" | undefined; readonly partitionBy?: PartitionBy | undefined }
  | { readonly format?: SaveFormat | undefined; readonly partitionBy?: undefined };

/** The names of the options of {@link outputPath}. */
export const WRITE_OPTIONS: readonly string[] = [
  "format",
  "filename",
  "dataPackage",
  "bom",
  "excelSafe",
  "overflow",
  "partitionBy",
  "cloudOptions",
];

const REMOTE = /^[a-z][a-z0-9+.-]+:\/\//i;

/**
 * Finds out where a result is to go. `dest` is a file, or a folder: a path that ends in `/`, is a folder already, or has no extension
 * (`"out"`), or any with `filename`. In a folder the file is called after `name`. With `partitionBy` it is the folder of the dataset.
 *
 * @throws ValidationError before anything is written or asked
 */
export function outputPath(dest: unknown, name: string, options: WriteOptions): OutputPath {
  if (typeof dest !== "string" || dest === "" || dest.includes("\0")) {
    throw invalid("dest", dest, 'Give the path of a file or a folder, for example "climate.parquet" or "out/".');
  }
  const formatOptions = checkedLook(options);
  const remote = REMOTE.test(dest);
  const home = dest === "~" || dest.startsWith("~/") ? join(homedir(), dest.slice(1)) : dest;
  const { filename, dataPackage } = options;
  const described = !remote && (dataPackage === undefined || boolean("dataPackage", dataPackage));
  if (filename !== undefined) checkFilename(filename);
  if (formatOptions.partitionBy !== undefined) {
    const path = filename === undefined ? home : within(home, filename, remote);
    checkPartitioned(options.format, path);
    return { path: withoutSlash(path), format: "parquet", name, remote, described, formatOptions };
  }
  const folder = filename !== undefined || isFolder(home, remote);
  const format = saveFormat(options.format, folder ? filename : home);
  const path = folder ? within(home, filename ?? `${name}.${format}`, remote) : home;
  checkLook(formatOptions, format, remote, path);
  if (described) checkName(path);
  return { path, format, name, remote, described, formatOptions };
}

function isFolder(path: string, remote: boolean): boolean {
  if (/[/\\]$/.test(path) && (path.endsWith("/") || process.platform === "win32")) return true;
  if (remote) return false;
  const known = statOf(path);
  return known === undefined ? extname(path) === "" : known.isDirectory();
}

/** What is there; a path that cannot be looked at is refused when it is written. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function within(folder: string, file: string, remote: boolean): string {
  return remote ? `${withoutSlash(folder)}/${file}` : join(folder, file);
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=[^/])\/+$/, "");
}

/** A name and nothing else: it cannot lead out of its folder, on any system. */
function checkFilename(filename: unknown): void {
  const plain =
    typeof filename === "string" &&
    filename !== "" &&
    !/[/\\\0]/.test(filename) &&
    !/^[a-z]:/i.test(filename) &&
    filename !== "." &&
    filename !== ".." &&
    !isAbsolute(filename) &&
    normalize(filename) === filename;
  if (!plain) throw invalid("filename", filename, 'Give a name without a path, for example filename: "climate.csv".');
}

/** What describes the files of a folder is none of them. */
function checkName(path: string): void {
  if (basename(path).toLowerCase() === DATA_PACKAGE)
    throw invalid(
      "dest",
      path,
      `${DATA_PACKAGE} describes what is saved: give another name, or { dataPackage: false }.`,
    );
}

function checkedLook({ bom, excelSafe, overflow, partitionBy, cloudOptions }: FormatOptions): FormatOptions {
  for (const [name, value] of Object.entries({ bom, excelSafe })) {
    if (value !== undefined && typeof value !== "boolean") throw invalid(name, value, `Give ${name}: true or false.`);
  }
  if (overflow !== undefined && overflow !== "sheets" && overflow !== "error")
    throw invalid("overflow", overflow, 'Give overflow: "sheets" or overflow: "error".');
  if (cloudOptions !== undefined && (typeof cloudOptions !== "object" || cloudOptions === null))
    throw invalid("cloudOptions", "…", 'Give an object, for example cloudOptions: { aws_region: "eu-west-1" }.');
  const keys = partitionBy === undefined ? undefined : checkPartitionBy(partitionBy);
  return { bom, excelSafe, overflow, partitionBy: keys, cloudOptions };
}

function checkPartitioned(format: unknown, path: string): void {
  if (format !== undefined && saveFormat(format, undefined) !== "parquet")
    throw invalid("format", format, 'A partitioned dataset is of parquet files: leave format out, or give "parquet".');
  if (REMOTE.test(path))
    throw invalid("dest", path, "A partitioned dataset can only be written to a folder of this machine.");
  if (statOf(path)?.isFile())
    throw new FileError(`${path} is a file, and partitionBy makes a folder.`, {
      code: "TARGET_IS_FOLDER",
      hint: 'Give another folder, for example "mentions/".',
      path,
    });
}

/** Options that do nothing for the format are slips of the pen. */
function checkLook(formatOptions: FormatOptions, format: SaveFormat, remote: boolean, path: string): void {
  const only: ReadonlyArray<readonly [keyof FormatOptions, SaveFormat]> = [
    ["bom", "csv"],
    ["excelSafe", "csv"],
    ["overflow", "xlsx"],
  ];
  for (const [option, of] of only) {
    if (formatOptions[option] !== undefined && format !== of)
      throw new ValidationError(`invalid ${option}: it is for ${of}, and this is ${format}.`, {
        hint: `Leave it out, or give format: ${show(of)}.`,
        parameter: option,
      });
  }
  if (remote && format !== "parquet" && format !== "arrow")
    throw invalid(
      "dest",
      path,
      "An object store takes parquet and arrow; write anything else to a file of this machine.",
    );
  if (!remote && statOf(path)?.isDirectory())
    throw new FileError(`${path} is a folder.`, { code: "TARGET_IS_FOLDER", hint: "Give the path of a file.", path });
}

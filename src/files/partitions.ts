import { closeSync, existsSync, fstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { faulty, invalid, show } from "../errors/validators.js";
import { readBytes } from "../fs/fileBytes.js";
import { openReceivedFile } from "../fs/readReceivedFile.js";
import { quoted } from "../util/quoted.js";
import type { PartitionKey } from "./frameWriter.js";
import { PARQUET_KEY } from "./package/readFileProvenance.js";

/** A level of directories in a partitioned dataset, and the column or part of a timestamp it comes from. */
export interface PartitionLevel {
  readonly name: string;
  readonly column: string;
  readonly part: "value" | "year" | "month" | "day";
}

const HINT = 'Give a column or several, for example partitionBy: "congress" or partitionBy: { year: "begintime" }.';
const PARTS: ReadonlyArray<PartitionLevel["part"]> = ["year", "month", "day"];
// Valid as a directory name on every file system and in every reader.
const DIRECTORY_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Validates `partitionBy`. The columns themselves are checked with the first frame. */
export function checkPartitionBy(value: unknown): readonly PartitionKey[] {
  const keys = (Array.isArray(value) ? value : [value]) as unknown[];
  if (keys.length === 0 || !keys.every(isKey)) throw invalid("partitionBy", value, HINT);
  const levels = partitionLevels(keys);
  for (const { name } of levels) {
    if (!DIRECTORY_NAME.test(name))
      throw invalid(
        "partitionBy",
        name,
        "Give a column whose name has only letters, digits, dots, - and _, and begins with a letter or digit.",
      );
    if (levels.filter((level) => isSameName(level.name, name)).length > 1)
      throw faulty("partitionBy", `two keys have the directory name ${show(name)}`, "Omit one of them.");
  }
  return keys;
}

/** The directory levels of keys: `{ month: "begintime" }` gives year and month. */
export function partitionLevels(keys: readonly PartitionKey[]): PartitionLevel[] {
  return keys.flatMap((key): PartitionLevel[] => {
    if (typeof key === "string") return [{ name: key, column: key, part: "value" }];
    const [last, column] = Object.entries(key)[0] as [PartitionLevel["part"], string];
    return PARTS.slice(0, PARTS.indexOf(last) + 1).map((part) => ({ name: part, column, part }));
  });
}

/** Whether two names are the same to case-insensitive readers such as DuckDB. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function isKey(key: unknown): key is PartitionKey {
  if (typeof key === "string") return key !== "";
  if (typeof key !== "object" || key === null) return false;
  const entries = Object.entries(key);
  const [part, column] = entries[0] ?? [];
  return entries.length === 1 && PARTS.some((known) => known === part) && typeof column === "string" && column !== "";
}

const PARTITION = /^[A-Za-z0-9][\w.-]{0,99}=/;
const PART = "part-0.parquet";
const MAX_METADATA = 2 ** 20;

/**
 * Checks that a directory is empty or a partitioned dataset of this package: directories (no links) named `name=value` with Parquet
 * files that contain our metadata. Anything else is not ours to replace.
 */
export function checkReplaceable(path: string): void {
  if (existsSync(path)) checkEntries(path, "");
}

function checkEntries(root: string, directory: string): void {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory() && PARTITION.test(entry.name)) checkEntries(root, name);
    else if (directory === "" || entry.name !== PART || !entry.isFile() || !hasOurKey(root, name)) {
      throw new ArchiveError(`${root} contains ${quoted(name)}, which is not part of a dataset of this package.`, {
        code: "TARGET_IS_DIRECTORY",
        hint: "A dataset replaces its directory: give the path of a new one.",
        path: root,
      });
    }
  }
}

function hasOurKey(root: string, name: string): boolean {
  const file = openReceivedFile(root, name);
  try {
    // The metadata is at the end of a Parquet file.
    const { size } = fstatSync(file);
    return readBytes(file, Math.max(0, size - MAX_METADATA), Math.min(size, MAX_METADATA)).includes(PARQUET_KEY);
  } finally {
    closeSync(file);
  }
}

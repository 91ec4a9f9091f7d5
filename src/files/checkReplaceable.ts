import { closeSync, fstatSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../errors/index.js";
import { openReceivedFile } from "../fs/readReceivedFile.js";
import { quoted } from "../util/quoted.js";
import { PARQUET_KEY } from "./package/readFileProvenance.js";

/** A folder of a partition: `congress=117`. */
const PARTITION = /^[A-Za-z0-9][\w.-]{0,99}=/;
/** The file that our writer makes in each. */
const PART = "part-0.parquet";

const TAIL_BYTES = 8;
const MAX_FOOTER_BYTES = 2 ** 24;

/**
 * Makes sure that a folder is a partitioned dataset of this package, or empty: folders named `name=value`, real ones and no links, and in
 * them Parquet files that say that we have written them. Anything else is not ours to replace.
 *
 * @throws FileError `TARGET_IS_FOLDER` that names what else is there
 */
export function checkReplaceable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) checkLevel(path, "");
}

function checkLevel(root: string, folder: string): void {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && PARTITION.test(entry.name)) checkLevel(root, name);
    else if (folder === "" || entry.name !== PART || !entry.isFile() || !isOurs(root, name)) {
      throw new FileError(`${root} holds ${quoted(name)}, which is not part of a dataset of this package.`, {
        code: "TARGET_IS_FOLDER",
        hint: "A dataset replaces its folder: give the path of a new one.",
        path: root,
      });
    }
  }
}

/** Whether the end of a Parquet file, which holds its metadata, has our key. */
function isOurs(root: string, name: string): boolean {
  const file = openReceivedFile(root, name);
  try {
    const { size } = fstatSync(file);
    const tail = readAt(file, size - TAIL_BYTES, TAIL_BYTES);
    if (tail?.toString("latin1", 4) !== "PAR1") return false;
    const length = tail.readUInt32LE();
    if (length > MAX_FOOTER_BYTES) return false;
    return readAt(file, size - TAIL_BYTES - length, length)?.includes(PARQUET_KEY) ?? false;
  } finally {
    closeSync(file);
  }
}

/** Some bytes of a file; undefined where it does not have them. */
function readAt(file: number, at: number, length: number): Buffer | undefined {
  if (at < 0) return undefined;
  const bytes = Buffer.alloc(length);
  return readSync(file, bytes, 0, length, at) === length ? bytes : undefined;
}

import { closeSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../errors/index.js";
import { openReceivedFile } from "../fs/readReceivedFile.js";
import { quoted } from "../util/quoted.js";
import { ourMetadata } from "./package/readFileProvenance.js";

/** The directory of a partition: `congress=117`. */
const PARTITION = /^[A-Za-z0-9][\w.-]{0,99}=/;
/** The file that our writer creates in each of them. */
const PART = "part-0.parquet";

/**
 * Checks that a directory is empty or a partitioned dataset of this package: directories named `name=value` (no links) with
 * Parquet files that carry our metadata. Anything else is not ours to replace.
 *
 * @throws FileError `TARGET_IS_DIRECTORY` that names the first other entry
 */
export function checkReplaceable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) checkLevel(path, "");
}

function checkLevel(root: string, directory: string): void {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory() && PARTITION.test(entry.name)) checkLevel(root, name);
    else if (directory === "" || entry.name !== PART || !entry.isFile() || !hasOurKey(root, name)) {
      throw new FileError(`${root} contains ${quoted(name)}, which is not part of a dataset of this package.`, {
        code: "TARGET_IS_DIRECTORY",
        hint: "A dataset replaces its directory: give the path of a new one.",
        path: root,
      });
    }
  }
}

/** Whether a Parquet file contains our metadata key. */
function hasOurKey(root: string, name: string): boolean {
  const file = openReceivedFile(root, name);
  try {
    return ourMetadata(file) !== undefined;
  } finally {
    closeSync(file);
  }
}

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { readReceivedFile } from "../../../fs/readReceivedFile.js";
import { writeFileAtomic } from "../../../fs/writeFileAtomic.js";
import { isObject } from "../../../util/isObject.js";
import { VERSION } from "../../../util/version.js";
import { type ParquetFacts, parquetFacts } from "../parquetFile.js";
import { MAX_PART_BYTES } from "../parquetPart.js";
import { filesOf, TABLES, type TableName } from "../tablePaths.js";

/** A file of a table. */
export interface TableFile extends ParquetFacts {
  /** Relative to the directory of the corpus, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

const FILE = join("work", "described.json");
const MAX_BYTES = 2 ** 28;

/**
 * The files of all tables. What an earlier run has read of a file is in `work/described.json`; without it, every file is read again.
 *
 * @param isKept whether to write it; the caller holds the lock of the corpus
 */
export function describedFiles(dir: string, isKept: boolean): ReadonlyMap<TableName, readonly TableFile[]> {
  const known = readKnown(dir);
  const files: Record<string, readonly [identity: string, TableFile]> = {};
  const tables = TABLES.map((name) => {
    const own = filesOf(dir, name).map((path) => {
      const identity = identityOf(join(dir, path));
      const entry = known[path];
      const file = entry?.[0] === identity ? entry[1] : readFile(dir, path);
      files[path] = [identity, file];
      return file;
    });
    return [name, own] as const;
  });
  if (isKept && JSON.stringify(files) !== JSON.stringify(known))
    writeFileAtomic(join(dir, FILE), JSON.stringify({ version: VERSION, files }));
  return new Map(tables);
}

function readFile(dir: string, path: string): TableFile {
  const { rows, nulls } = parquetFacts(dir, path);
  const bytes = readReceivedFile(dir, path, MAX_PART_BYTES);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { path, bytes: bytes.length, sha256, rows, nulls };
}

/** A file that is replaced has another inode. */
export function identityOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function readKnown(dir: string): Readonly<Record<string, readonly [identity: string, TableFile]>> {
  try {
    const known: unknown = JSON.parse(readReceivedFile(dir, FILE, MAX_BYTES).toString());
    if (isObject(known) && known.version === VERSION && isObject(known.files)) return known.files as never;
  } catch {
    // Every file is read.
  }
  return {};
}

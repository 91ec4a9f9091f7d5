import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { FileError } from "../errors/index.js";
import { nonEmptyString } from "../errors/validators.js";
import { escaped } from "../util/quoted.js";
import { parseRecords } from "./file/parseRecords.js";
import type { Legislator } from "./legislator.js";
import { type Legislators, legislatorsOf } from "./legislators.js";

/** The historical file has 9 MB. */
const MAX_BYTES = 32 * 2 ** 20;

/**
 * Loads members of Congress from files of the project
 * [congress-legislators](https://github.com/unitedstates/congress-legislators): `legislators-current.yaml`,
 * `legislators-historical.yaml`, or the same as JSON. With the historical file, joins know former members, too, and a name that
 * two members share is not taken for one of them.
 *
 * @param paths a file, or several; of a member in two files, the later file counts
 * @returns members for the option `legislators` of `withMembers` and `members`
 * @throws FileError `LEGISLATORS_INVALID`, which names the line; `FILE_ERROR` if a file cannot be read
 * @example
 * const legislators = await loadLegislators(["legislators-historical.yaml", "legislators-current.yaml"]);
 * const joined = await withMembers(frame, { legislators });
 */
export async function loadLegislators(paths: string | readonly string[]): Promise<Legislators> {
  const list = (Array.isArray(paths) ? paths : [paths]) as readonly string[];
  for (const path of list.length === 0 ? [""] : list) nonEmptyString("paths", path, "legislators-current.yaml");
  const members: Legislator[] = [];
  const hashes: string[] = [];
  for (const path of list) {
    const bytes = await readBounded(path);
    hashes.push(sha256(bytes));
    members.push(...(await parseRecords(bytes.toString("utf8"), path)));
  }
  const [only] = hashes;
  return legislatorsOf(members, {
    source: list.map((path) => basename(path)).join(", "),
    version: null,
    date: null,
    sha256: hashes.length === 1 && only !== undefined ? only : sha256(hashes.join("")),
  });
}

async function readBounded(path: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    // Opening a FIFO would block.
    if (!(await stat(path)).isFile()) throw unreadable(path, "is not a file");
    file = await open(path);
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw unreadable(path, `is larger than ${MAX_BYTES.toLocaleString("en-US")} bytes`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof FileError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(path, code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? message})`, error);
  } finally {
    await file?.close();
  }
}

function unreadable(path: string, what: string, cause?: unknown): FileError {
  return new FileError(`${escaped(path)} ${what}.`, {
    code: "FILE_ERROR",
    hint: "Give the path of legislators-current.yaml or legislators-historical.yaml, or of the same as JSON.",
    path,
    cause,
  });
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

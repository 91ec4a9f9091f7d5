import { basename } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { readInputFile } from "../fs/inputFile.js";
import { userPath } from "../fs/userPath.js";
import { escaped } from "../util/quoted.js";
import { sha256Of } from "../util/sha256Of.js";
import type { Legislator } from "./legislator.js";
import { readRecords } from "./legislator.js";
import { type Legislators, legislatorsOf } from "./legislators.js";

const HINT =
  "Give the path of legislators-current.yaml or legislators-historical.yaml of the project congress-legislators, or of the same as JSON: their CSV files have no terms of office.";
/** The files nest six levels. */
const MAX_DEPTH = 20;
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
 * @throws ArchiveError `LEGISLATORS_INVALID`, which names the line or the member; `FILE_ERROR` if a file cannot be read
 * @example
 * const legislators = await loadLegislators(["legislators-historical.yaml", "legislators-current.yaml"]);
 * const joined = await withMembers(frame, { legislators });
 */
export async function loadLegislators(paths: string | readonly string[]): Promise<Legislators> {
  const list = (Array.isArray(paths) ? paths : [paths]) as readonly string[];
  const files = (list.length === 0 ? [""] : list).map((path) => userPath("paths", path, "legislators-current.yaml"));
  const members: Legislator[] = [];
  const hashes: string[] = [];
  for (const path of files) {
    const bytes = readInputFile(path, MAX_BYTES);
    hashes.push(sha256Of(bytes));
    members.push(...(await parseRecords(bytes.toString("utf8"), path)));
  }
  const [only] = hashes;
  return legislatorsOf(members, {
    source: files.map((path) => basename(path)).join(", "),
    version: null,
    date: null,
    sha256: hashes.length === 1 && only !== undefined ? only : sha256Of(hashes.join("")),
  });
}

/**
 * Reads members from the text of a YAML or JSON file. Aliases are refused: the files have none, and a short text could stand for a
 * huge one.
 *
 * @param path for errors
 * @throws ArchiveError `LEGISLATORS_INVALID` that names the line or the member
 */
async function parseRecords(text: string, path: string): Promise<Legislator[]> {
  // YAML is needed here only.
  const { CORE_SCHEMA, load } = await import("js-yaml");
  const failed = (what: string, cause?: unknown) =>
    new ArchiveError(`${escaped(path)}${what}.`, { code: "LEGISLATORS_INVALID", hint: HINT, path, cause });
  let records: unknown;
  try {
    records = load(text, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH, maxAliases: 0 });
  } catch (error) {
    const { reason, mark } = error as { reason?: unknown; mark?: { line: number } };
    const what = typeof reason === "string" ? escaped(reason, 200) : "the file is not YAML";
    throw failed(`, line ${(mark?.line ?? 0) + 1}: ${what}`, error);
  }
  return readRecords(records, (what) => failed(`: ${what}`));
}

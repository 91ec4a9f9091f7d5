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
  "Give the path of legislators-current.json or legislators-historical.json, which https://unitedstates.github.io/congress-legislators/ has.";
const YAML_HINT = `${HINT} Or convert the file: python3 -c "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, default=str)" < legislators.yaml > legislators.json`;
/** The historical file has 9 MB. */
const MAX_BYTES = 32 * 2 ** 20;

/**
 * Loads members of Congress from `legislators-current.json` and `legislators-historical.json` of
 * [congress-legislators](https://github.com/unitedstates/congress-legislators). With the historical file, joins know former members, too.
 *
 * @param paths files; of a member in two files, the later file counts
 * @returns members for the option `legislators` of `withMembers` and `members`
 * @throws ArchiveError `LEGISLATORS_INVALID`, `FILE_ERROR`
 * @example
 * const legislators = await loadLegislators(["legislators-historical.json", "legislators-current.json"]);
 * const joined = await withMembers(frame, { legislators });
 */
export async function loadLegislators(paths: string | readonly string[]): Promise<Legislators> {
  const list = (Array.isArray(paths) ? paths : [paths]) as readonly string[];
  const files = (list.length === 0 ? [""] : list).map((path) => userPath("paths", path, "legislators-current.json"));
  const members: Legislator[] = [];
  const hashes: string[] = [];
  for (const path of files) {
    const bytes = readInputFile(path, MAX_BYTES);
    hashes.push(sha256Of(bytes));
    members.push(...parseRecords(bytes.toString("utf8"), path));
  }
  const sha256 = hashes.length === 1 ? (hashes[0] as string) : sha256Of(hashes.join(""));
  const source = files.map((path) => basename(path)).join(", ");
  return legislatorsOf(members, { source, version: null, date: null, sha256 });
}

function parseRecords(text: string, path: string): Legislator[] {
  const failed = (what: string, hint = HINT, cause?: unknown) =>
    new ArchiveError(`${escaped(path)}: ${what}.`, { code: "LEGISLATORS_INVALID", hint, path, cause });
  if (/\.ya?ml$/i.test(path)) throw failed("YAML is not read", YAML_HINT);
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch (error) {
    throw failed("the file is not JSON", HINT, error);
  }
  return readRecords(records, (what) => failed(what));
}

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { ArchiveError } from "../errors/index.js";
import { faulty, invalid } from "../errors/validators.js";
import { userPath } from "../fs/paths.js";
import { readInputFile } from "../fs/receivedFile.js";
import { sha256Of } from "../util/hash.js";
import { isObject } from "../util/objects.js";
import { escaped } from "../util/text.js";
import { type Legislator, type LegislatorRecord, readRecords } from "./legislator.js";

/** Members of Congress, as {@link loadLegislators} returns them. */
export interface Legislators {
  /** Where the data comes from. */
  readonly source: {
    /** The project, the files, or `"embedded archive 3f2a9c1b"`. */
    readonly source: string;
    /** The commit of the project; null if it is not known, as for files. */
    readonly version: string | null;
    /** The day of the data, `yyyy-mm-dd`; null if it is not known. */
    readonly date: string | null;
    /** SHA-256 of the file, in hexadecimal; of several files, that of their hashes one after the other. */
    readonly sha256: string;
    /** Number of members. */
    readonly members: number;
    /** Everyone who sat on this day or later is in the data, `yyyy-mm-dd`; null if that is not known, as for files. */
    readonly completeSince: string | null;
  };
  /** All members; of two with the same bioguide id, the one of the later file. */
  readonly members: readonly Legislator[];
}

function legislatorsOf(
  members: readonly Legislator[],
  source: Omit<Legislators["source"], "members" | "completeSince">,
  completeSince: string | null = null,
): Legislators {
  const byId = new Map(members.map((member) => [member.bioguide, member]));
  const unique = [...byId.values()];
  return { source: { ...source, members: unique.length, completeSince }, members: unique };
}

/** How to get members who are not in the data of this package. */
export const HISTORICAL =
  'Load legislators-historical.json of the project congress-legislators with loadLegislators(["legislators-historical.json", "legislators-current.json"]), and give it as legislators.';

/** Members, loaded or as records. */
export type LegislatorsOption = Legislators | readonly LegislatorRecord[];

const byRecords = new WeakMap<object, Legislators>();

/**
 * Checks the option `legislators`. The same list of records is read only once.
 *
 * @throws ValidationError for anything else
 */
export function checkLegislators(option: LegislatorsOption, source = "records"): Legislators {
  if (Array.isArray(option)) {
    const fail = (what: string) =>
      faulty("legislators", what, "Give members in the layout of legislators-current.json.");
    const sha256 = () => sha256Of(JSON.stringify(option));
    const legislators =
      byRecords.get(option) ??
      legislatorsOf(readRecords(option, fail), { source, version: null, date: null, sha256: sha256() });
    byRecords.set(option, legislators);
    return legislators;
  }
  const { source: sourceInfo, members } = (option ?? {}) as Partial<Record<keyof Legislators, unknown>>;
  if (isObject(sourceInfo) && Array.isArray(members)) return option as Legislators;
  throw invalid("legislators", option, 'Give the result of await loadLegislators("legislators-current.json").');
}

/** Takes the name of an archive in provenance. Returns undefined for an archive without a Congress of its own. */
type MembersProvider = (source: string) => Promise<readonly LegislatorRecord[]> | undefined;

let provider: MembersProvider | undefined;

/** Sets the provider of members for archives with a Congress of their own. */
export function provideMembers(membersProvider: MembersProvider): void {
  provider = membersProvider;
}

/**
 * The members for the rows of an archive: those of its own Congress, otherwise the data in this package.
 *
 * @param source its name in provenance, if known
 */
export async function legislatorsFor(source = ""): Promise<Legislators> {
  const records = await provider?.(source);
  return records === undefined ? shippedLegislators() : checkLegislators(records, source);
}

/** The content of `data/legislators.json.gz`, which `data/build.mjs` writes. */
type ShippedData = Record<"source" | "version" | "date" | "completeSince" | "sha256" | "license", string> &
  Pick<Legislators, "members">;

let shipped: Legislators | undefined;

/** The data in this package: everyone who sat on 27 September 2012 or later. Read on first use. */
export function shippedLegislators(): Legislators {
  if (shipped !== undefined) return shipped;
  // The relative path is the same from src/members and dist/members.
  const compressed = readFileSync(new URL("../../src/members/data/legislators.json.gz", import.meta.url));
  const data = JSON.parse(gunzipSync(compressed).toString("utf8")) as ShippedData;
  const { members, completeSince, license: _, ...source } = data;
  shipped = legislatorsOf(members, source, completeSince);
  return shipped;
}

const HINT =
  "Give the path of legislators-current.json or legislators-historical.json, which https://unitedstates.github.io/congress-legislators/ has.";
const YAML_HINT = `${HINT} Or convert the file: python3 -c "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, default=str)" < legislators.yaml > legislators.json`;
/** The historical file has only 9 MB. */
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
  const errorOf = (what: string, hint = HINT, cause?: unknown) =>
    new ArchiveError(`${escaped(path)}: ${what}.`, { code: "LEGISLATORS_INVALID", hint, path, cause });
  if (/\.ya?ml$/i.test(path)) throw errorOf("YAML is not read", YAML_HINT);
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch (error) {
    throw errorOf("the file is not JSON", HINT, error);
  }
  return readRecords(records, (what) => errorOf(what));
}

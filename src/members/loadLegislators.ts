import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Event } from "js-yaml";
import { FileError } from "../errors/index.js";
import { nonEmptyString } from "../errors/validators.js";
import { escaped, quoted } from "../util/quoted.js";
import type { Legislator } from "./legislator.js";
import { type Legislators, legislatorsOf } from "./legislators.js";
import { type Path, readRecords } from "./readRecords.js";

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

/** The files nest six levels. */
const MAX_DEPTH = 20;
/** Values and keys in a file. Each takes memory until the file is read; the historical file has about 700,000. */
const MAX_VALUES = 3_000_000;

/**
 * Reads members from the text of a YAML or JSON file. Aliases are refused: the files have none, and a short text could stand for a
 * huge one.
 *
 * @param path for errors
 * @throws FileError `LEGISLATORS_INVALID` that names the line
 */
async function parseRecords(text: string, path: string): Promise<Legislator[]> {
  // YAML is needed here only.
  const yaml = await import("js-yaml");
  const failed = (line: number, what: string, cause?: unknown) =>
    new FileError(`${escaped(path)}, line ${line}: ${what}.`, {
      code: "LEGISLATORS_INVALID",
      hint: "Give legislators-current.yaml or legislators-historical.yaml of the project congress-legislators, or the same as JSON.",
      path,
      cause,
    });
  if (isCrowded(text)) throw failed(1, `the file has more than ${MAX_VALUES.toLocaleString("en-US")} values`);
  let records: unknown;
  try {
    records = yaml.load(text, { schema: yaml.CORE_SCHEMA, maxDepth: MAX_DEPTH, maxAliases: 0 });
  } catch (error) {
    const { reason, mark } = error as { reason?: unknown; mark?: { line: number } };
    throw failed(
      (mark?.line ?? 0) + 1,
      typeof reason === "string" ? escaped(reason, 200) : "the file is not YAML",
      error,
    );
  }
  const list = isWrapped(records) ? records.legislators : records;
  const inFile = (at: Path) => (isWrapped(records) ? ["legislators", ...at] : at);
  return readRecords(list, (at, what) => failed(lineOf(yaml, text, inFile(at)), `${nameOf(list, at)} ${what}`));
}

/** The data in this package is in a mapping, with its source. */
function isWrapped(records: unknown): records is { readonly legislators: unknown } {
  return typeof records === "object" && records !== null && "legislators" in records;
}

/** The place of a value in words: `"terms[0].start" of "C000127"`. */
function nameOf(list: unknown, path: Path): string {
  const [index, ...rest] = path;
  if (index === undefined) return "the file";
  const record = (list as ReadonlyArray<{ id?: { bioguide?: unknown } } | null>)[index as number];
  const bioguide = record?.id?.bioguide;
  const member = typeof bioguide === "string" ? quoted(bioguide) : `member ${Number(index) + 1}`;
  if (rest.length === 0) return member;
  const inside = rest
    .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at > 0 ? "." : ""}${step}`))
    .join("");
  return `${inside} of ${member}`;
}

/** Whether a text has more values than a file of members can have: each begins after one of these characters. */
function isCrowded(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Line feed, carriage return, comma, colon, opening brackets, hyphen of a list.
    if (code === 10 || code === 13 || code === 44 || code === 58 || code === 91 || code === 123) count++;
    else if (code === 45 && text.charCodeAt(at + 1) === 32) count++;
  }
  return count > MAX_VALUES;
}

type Yaml = typeof import("js-yaml");

/**
 * The line of a value in a YAML text, from 1. Where the path leads to nothing, the line of the value that should contain it.
 *
 * @param text YAML that `load` has accepted
 */
function lineOf(yaml: Yaml, text: string, path: Path): number {
  const events = yaml.parseEvents(text, { maxDepth: Number.POSITIVE_INFINITY });
  return text.slice(0, offsetOf(yaml, text, events, path)).split("\n").length;
}

function offsetOf(yaml: Yaml, text: string, events: readonly Event[], path: Path): number {
  const { EVENT_ID: ID } = yaml;
  // After the document event.
  let at = 1;
  for (const step of path) {
    const child = stepInto(at, step);
    if (child === undefined) break;
    at = child;
  }
  return startOf(events[at]);

  function stepInto(parent: number, step: string | number): number | undefined {
    const isMapping = events[parent]?.type === ID.MAPPING;
    if (!isMapping && events[parent]?.type !== ID.SEQUENCE) return undefined;
    let position = 0;
    for (let child = parent + 1; events[child]?.type !== ID.POP && child < events.length; child = after(child)) {
      const key = events[child];
      if (isMapping) child = after(child);
      const isWanted = isMapping
        ? key?.type === ID.SCALAR && yaml.getScalarValue(text, key) === step
        : position++ === step;
      if (isWanted) return child;
    }
    return undefined;
  }

  /** The event after a value with all that it contains. */
  function after(value: number): number {
    let depth = 0;
    let next = value;
    do {
      const type = events[next++]?.type;
      if (type === ID.SEQUENCE || type === ID.MAPPING) depth++;
      else if (type === ID.POP) depth--;
    } while (depth > 0 && next < events.length);
    return next;
  }
}

function startOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if ("start" in event) return event.start;
  return "valueStart" in event ? event.valueStart : 0;
}

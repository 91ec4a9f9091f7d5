import { FileError } from "../../errors/index.js";
import { escaped, quoted } from "../../util/quoted.js";
import type { Legislator } from "../legislator.js";
import { lineOf } from "./lineOf.js";
import { type Path, readRecords } from "./readRecords.js";

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
export async function parseRecords(text: string, path: string): Promise<Legislator[]> {
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

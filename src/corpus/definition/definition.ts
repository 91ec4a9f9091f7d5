import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { invalid, nonEmptyString, oneOf } from "../../errors/validators.js";
import { withFileErrors } from "../../fs/fileErrors.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { PERIODS, type Period } from "../../util/period.js";
import { escaped } from "../../util/text.js";
import { readInside } from "../files.js";
import { checkSearches, type Search } from "./searches.js";

/** A table that is filled by lookups. */
export type Lookup = "people" | "programs";

const LOOKUPS: readonly Lookup[] = ["people", "programs"];

/** The content of `corpus.json`. */
export interface Definition {
  /** The name of the service, as in provenance. */
  readonly source: string;
  /** How searches are split by date; undefined if they are not. */
  readonly window: Period | undefined;
  /** The last day of searches without one, yyyy-mm-dd. */
  readonly until: string;
  readonly lookups: readonly Lookup[];
  readonly searches: readonly Search[];
}

const FILE = "corpus.json";
const VERSION = 6;
/** 100,000 searches have about 20 MB. */
const MAX_BYTES = 100_000_000;

/**
 * Reads the definition of a corpus, which may come from somebody else.
 *
 * @returns undefined if there is none
 * @throws ArchiveError `FILE_ERROR` if it is invalid
 */
export function readDefinition(dir: string): Definition | undefined {
  const path = join(dir, FILE);
  const bytes = withFileErrors(path, () => readInside(dir, FILE, MAX_BYTES));
  if (bytes === undefined) return undefined;
  try {
    return checkDefinition(Object(JSON.parse(String(bytes))));
  } catch (cause) {
    const what = `${path} is not the definition of a corpus: ${escaped((cause as Error).message, 500)}`;
    const hint = "Correct it, or give another directory.";
    throw new ArchiveError(what, { code: "FILE_ERROR", hint, path, cause });
  }
}

export function writeDefinition(dir: string, definition: Definition): void {
  const searches = definition.searches.map(({ row }) => row);
  const content = { corpus: "archive-frames", version: VERSION, ...definition, searches };
  writeFileAtomic(join(dir, FILE), `${JSON.stringify(content, null, 2)}\n`);
}

export function withoutSearches(definition: Definition, ids: readonly string[]): Definition {
  const { searches } = definition;
  const unknown = ids.find((id) => searches.every((search) => search.id !== id));
  if (unknown !== undefined) throw invalid("ids", unknown, "Give ids of the column search of corpus.searches().");
  return { ...definition, searches: searches.filter(({ id }) => !ids.includes(id)) };
}

function checkDefinition({ version, source, window, until, lookups, searches }: Record<string, unknown>): Definition {
  if (version !== VERSION) throw invalid("version", version, `Build the corpus again: this release writes ${VERSION}.`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(String(until)) && !Number.isNaN(Date.parse(String(until)));
  if (!isDay) throw invalid("until", until, "Give a day, for example 2024-12-31.");
  if (!Array.isArray(searches)) throw invalid("searches", searches, "Give a list.");
  return {
    source: nonEmptyString("source", source),
    window: window === undefined ? undefined : oneOf("window", window, PERIODS),
    until: String(until),
    lookups: checkLookups(lookups),
    searches: checkSearches(searches),
  };
}

export function checkLookups(lookups: unknown): Lookup[] {
  if (!Array.isArray(lookups)) throw invalid("lookups", lookups, 'Give a list, for example lookups: ["people"].');
  const names = lookups.map((name) => oneOf("lookups", name, LOOKUPS));
  return LOOKUPS.filter((name) => names.includes(name));
}

/** Today in UTC, yyyy-mm-dd. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

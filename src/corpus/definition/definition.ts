import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { withFileErrors } from "../../fs/fileErrors.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { buildRequest } from "../../service/operations/request.js";
import { isObject } from "../../util/isObject.js";
import { PERIODS, type Period } from "../../util/period.js";
import { readInside } from "../files.js";
import { isDay } from "./days.js";
import { RESERVED, type Search, searchId } from "./searches.js";

/** A table that is filled by lookups. */
export type Lookup = "people" | "programs";

export const LOOKUPS: readonly Lookup[] = ["people", "programs"];

/** What a corpus consists of: the content of `corpus.json`. */
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
const VERSION = 4;
/** 100,000 searches have about 20 MB. */
const MAX_BYTES = 100_000_000;
const COLUMNS = new Set([...RESERVED, "query"]);
const MAX_LABELS = 100;

/**
 * Reads the definition of a corpus, which somebody else may have written.
 *
 * @returns undefined if there is none
 * @throws ArchiveError if it is damaged, or of another version
 */
export function readDefinition(dir: string): Definition | undefined {
  const path = join(dir, FILE);
  const bytes = withFileErrors(path, () => readInside(dir, FILE, MAX_BYTES));
  if (bytes === undefined) return undefined;
  let definition: Definition | undefined;
  try {
    const content = JSON.parse(bytes.toString());
    if (isObject(content) && content.corpus === "archive-frames" && Number(content.version) < VERSION)
      throw new ArchiveError(`${dir} is a corpus of an earlier version, which this one does not read.`, {
        code: "FILE_ERROR",
        hint: "Build it again in another directory: openCorpus(dir, { archive, searches }).",
        path,
      });
    definition = checked(content);
  } catch (error) {
    if (error instanceof ArchiveError && error.code === "FILE_ERROR") throw error;
    // Not JSON, or an invalid parameter.
  }
  if (definition !== undefined) return definition;
  throw new ArchiveError(`${path} is not the definition of a corpus.`, {
    code: "FILE_ERROR",
    hint: "Restore it, or give another directory.",
    path,
  });
}

/** @throws ValidationError for more than 100 labels */
export function writeDefinition(dir: string, definition: Definition): void {
  const labels = labelNames(definition);
  if (labels.length > MAX_LABELS)
    throw invalid("searches", labels.at(-1), "They have more than 100 labels. Keep fewer columns.");
  const { source, window = null, ...rest } = definition;
  const content = { corpus: "archive-frames", version: VERSION, source, window, ...rest };
  writeFileAtomic(join(dir, FILE), `${JSON.stringify(content, null, 2)}\n`);
}

function checked(value: unknown): Definition | undefined {
  if (!isObject(value) || value.corpus !== "archive-frames" || value.version !== VERSION) return undefined;
  const { source, until, lookups, searches } = value;
  if (typeof source !== "string" || !isDay(until) || !Array.isArray(searches) || !Array.isArray(lookups))
    return undefined;
  const window = PERIODS.find((one) => one === value.window);
  if ((window ?? null) !== value.window) return undefined;
  const own = searches.map(checkedSearch);
  if (labelNames({ searches: own }).length > MAX_LABELS) return undefined;
  const known = LOOKUPS.filter((name) => lookups.includes(name));
  return { source, window, until, lookups: known, searches: own };
}

export function labelNames({ searches }: Pick<Definition, "searches">): string[] {
  return [...new Set(searches.flatMap(({ labels }) => Object.keys(labels)))];
}

function checkedSearch(value: unknown): Search {
  if (!isObject(value) || !isTexts(value.parameters) || !isTexts(value.labels)) throw new Error("not a search");
  // It was valid when it was sent, so a corpus of an older version opens.
  const parameters = Object.fromEntries(buildRequest("mentions", { ...value.parameters, unchecked: true }).query);
  if (Object.keys(value.labels).some((name) => COLUMNS.has(name.toLowerCase()))) throw new Error("not a label");
  // File names contain the id, so it is computed again.
  return { id: searchId(parameters), parameters, labels: value.labels };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

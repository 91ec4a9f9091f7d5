import { join } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { withFileErrors } from "../../fs/fileErrors.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { buildRequest } from "../../service/operations/request.js";
import { isObject } from "../../util/isObject.js";
import { PERIODS, type Period } from "../../util/period.js";
import { readInside } from "../files.js";
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
 * @throws ArchiveError if it is damaged, or of an earlier version
 */
export function readDefinition(dir: string): Definition | undefined {
  const path = join(dir, FILE);
  const bytes = withFileErrors(path, () => readInside(dir, FILE, MAX_BYTES));
  if (bytes === undefined) return undefined;
  let version: unknown;
  try {
    const content = JSON.parse(bytes.toString());
    version = content.version;
    const definition = checked(content);
    if (definition !== undefined) return definition;
  } catch {
    // Not JSON, or an invalid parameter.
  }
  const [what, hint] =
    Number(version) < VERSION
      ? [
          `${dir} is a corpus of an earlier version, which this one does not read.`,
          "Build it again in another directory.",
        ]
      : [`${path} is not the definition of a corpus.`, "Restore it, or give another directory."];
  throw new ArchiveError(what, { code: "FILE_ERROR", hint, path });
}

/** @throws ValidationError for more than 100 labels, or some that differ only in case */
export function writeDefinition(dir: string, definition: Definition): void {
  const labels = labelNames(definition);
  const isEqual = (name: string, at: number) =>
    labels.findIndex((one) => one.toLowerCase() === name.toLowerCase()) < at;
  if (labels.length > MAX_LABELS || labels.some(isEqual))
    throw invalid("searches", labels.at(-1), "Give at most 100 labels, whose names differ not only in case.");
  const { source, window = null, ...rest } = definition;
  const content = { corpus: "archive-frames", version: VERSION, source, window, ...rest };
  writeFileAtomic(join(dir, FILE), `${JSON.stringify(content, null, 2)}\n`);
}

function checked(value: unknown): Definition | undefined {
  if (!isObject(value) || value.corpus !== "archive-frames" || value.version !== VERSION) return undefined;
  const { source, until, lookups, searches } = value;
  const window = PERIODS.find((one) => one === value.window);
  const areLists = Array.isArray(searches) && Array.isArray(lookups) && (window ?? null) === value.window;
  if (typeof source !== "string" || !isDay(until) || !areLists) return undefined;
  const definition = {
    ...{ source, window, until },
    lookups: LOOKUPS.filter((name) => lookups.includes(name)),
    searches: searches.map(checkedSearch),
  };
  return labelNames(definition).length > MAX_LABELS ? undefined : definition;
}

export function labelNames({ searches }: Pick<Definition, "searches">): string[] {
  return [...new Set(searches.flatMap(({ labels }) => Object.keys(labels)))];
}

function checkedSearch(value: unknown): Search {
  if (!isObject(value) || !isTexts(value.parameters) || !isTexts(value.labels)) throw new Error("not a search");
  if (Object.keys(value.labels).some((name) => COLUMNS.has(name.toLowerCase()))) throw new Error("not a label");
  const parameters = Object.fromEntries(buildRequest("mentions", { ...value.parameters, unchecked: true }).query);
  return { id: searchId(parameters), parameters, labels: value.labels };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/** Today in UTC, yyyy-mm-dd. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function isDay(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

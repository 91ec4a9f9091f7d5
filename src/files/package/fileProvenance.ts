import { distinctSources, sourceIndex, sourcesOf } from "../../frames/lineage/derived.js";
import type { Lineage, Step } from "../../frames/lineage/step.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/isObject.js";

/** The provenance in a saved file, without times and addresses that change from run to run. */
export interface FileProvenance
  extends Pick<
    Provenance,
    | "operation"
    | "parameters"
    | "source"
    | "rows"
    | "duplicates"
    | "conflicts"
    | "verdict"
    | "reason"
    | "cursor"
    | "sha256"
    | "version"
  > {
  /** The date of the last response in UTC, `2026-11-21`; null if there was none. */
  readonly retrieved: string | null;
  /** For samples: what the rows were drawn from. */
  readonly sample?: Provenance["sample"];
  /** For speeches on bills: how they were found. */
  readonly speeches?: Provenance["speeches"];
  /** For derived rows: the results they come from. */
  readonly sources?: readonly FileProvenance[];
  /** For rows of several frames: what was combined. */
  readonly inputs?: readonly FileLineage[];
  /** For derived rows: the verbs since they were fetched or combined, in order. */
  readonly steps?: readonly Step[];
}

/** A lineage in a file. `source` is an index into the list of sources. */
export interface FileLineage {
  readonly source?: number;
  readonly inputs?: readonly FileLineage[];
  readonly steps: readonly Step[];
}

/** The provenance in `datapackage.json`: everything except paths and cache hits of the machine that wrote the file. */
export type PackagedProvenance = FileProvenance & Omit<Provenance, "snapshot" | "cached" | "sources" | "inputs">;

type Check = (value: unknown) => boolean;
const isString: Check = (value) => typeof value === "string";
const isStringOrNull: Check = (value) => value === null || isString(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isPrimitive: Check = (value) => value === null || ["string", "number", "boolean"].includes(typeof value);

/** The members and their valid values. Files are untrusted input. */
const MEMBERS: Readonly<Record<Exclude<keyof FileProvenance, "sources" | "inputs" | "steps">, Check>> = {
  operation: isString,
  parameters: (value) => isObject(value) && Object.values(value).every(isPrimitive),
  source: isString,
  retrieved: isStringOrNull,
  rows: isCount,
  duplicates: optional(isCount),
  conflicts: optional(isCount),
  verdict: isString,
  reason: isStringOrNull,
  cursor: optional(isStringOrNull),
  sha256: optional(isStringOrNull),
  version: isString,
  sample: optional(isObject),
  speeches: optional(isObject),
};

/** The part of a provenance to write into the file itself. Two runs of a search on the same day give the same bytes. */
export function fileProvenance(provenance: Provenance): FileProvenance {
  const all = { ...provenance, retrieved: provenance.lastResponseAt?.slice(0, 10) ?? null };
  const names = Object.keys(MEMBERS) as Array<keyof typeof MEMBERS>;
  const own = Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as FileProvenance;
  const { steps, inputs } = provenance;
  if (steps === undefined) return own;
  const sources = distinctSources(sourcesOf(provenance));
  const left = { lineages: MAX_LINEAGES };
  return {
    ...own,
    sources: sources.map(fileProvenance),
    ...(inputs && { inputs: inputs.map((input) => fileLineage(input, sources, left)) }),
    steps,
  };
}

/** Repeatedly combined frames share histories, which would multiply in a file. */
const MAX_LINEAGES = 500;

function fileLineage(lineage: Lineage, sources: readonly Provenance[], left: { lineages: number }): FileLineage {
  const { inputs, steps } = lineage;
  left.lineages--;
  if (inputs === undefined) return { source: sourceIndex(sources, lineage.sources[0]), steps };
  return { inputs: left.lineages < 0 ? [] : inputs.map((input) => fileLineage(input, sources, left)), steps };
}

/** Converts the provenance of a file to that of a result. Parquet files lack the members that only `datapackage.json` has. */
export function provenanceOfFile(saved: FileProvenance | PackagedProvenance): Provenance {
  const { sources: given, inputs, retrieved, source, ...own } = saved;
  const sources = given?.map(provenanceOfFile);
  const lineage = (input: FileLineage): Lineage => {
    const further = input.inputs?.map(lineage);
    const of = further?.flatMap((each) => each.sources) ?? sources?.slice(input.source, (input.source ?? 0) + 1) ?? [];
    return { sources: [...new Set(of)], ...(further && { inputs: further }), steps: input.steps };
  };
  return {
    baseUrl: source,
    firstResponseAt: retrieved,
    lastResponseAt: retrieved,
    pages: 0,
    requests: 0,
    retries: 0,
    cached: 0,
    snapshot: null,
    ...own,
    source,
    ...(sources && { sources }),
    ...(inputs && { inputs: inputs.map(lineage) }),
  };
}

const MAX_SOURCES = 1000;
const MAX_STEPS = 1000;
const MAX_DEPTH = 100;
const MAX_LENGTH = 10_000;

/** Validates a provenance read from a file, which may be hostile: bounds its text and depth. */
export function isFileProvenance(value: unknown): value is FileProvenance {
  if (!isObject(value) || !isOwn(value)) return false;
  const { sources = [], inputs = [], steps = [] } = value;
  if (!Array.isArray(sources) || sources.length > MAX_SOURCES || !sources.every(isSource)) return false;
  return isLineages(inputs, sources.length) && isSteps(steps);
}

function isOwn(value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(MEMBERS).every(([name, check]) => check(value[name])) && isBounded(value.parameters);
}

/** A source is not derived itself. */
function isSource(value: unknown): boolean {
  return isObject(value) && value.sources === undefined && value.steps === undefined && isOwn(value);
}

function isLineages(value: unknown, sources: number, left = { lineages: 2 * MAX_LINEAGES }, depth = 0): boolean {
  const isValid = (each: unknown): boolean => {
    if (left.lineages-- <= 0 || !isObject(each) || !isSteps(each.steps)) return false;
    return each.inputs === undefined
      ? isCount(each.source) && (each.source as number) < sources
      : isLineages(each.inputs, sources, left, depth + 1);
  };
  return depth <= MAX_DEPTH && Array.isArray(value) && value.every(isValid);
}

const EFFECTS_OF_STEPS: readonly unknown[] = ["rows", "order", "shape", "columns", "summary", "joined"];

function isSteps(value: unknown): boolean {
  const isStep = (step: unknown) => {
    if (!isObject(step)) return false;
    const { verb, effect, arguments: given = {}, rows = [0, 0] } = step;
    if (!isString(verb) || (verb as string).length > 100 || !EFFECTS_OF_STEPS.includes(effect)) return false;
    return isObject(given) && isBounded(given) && Array.isArray(rows) && rows.length === 2 && rows.every(isCount);
  };
  return Array.isArray(value) && value.length <= MAX_STEPS && value.every(isStep);
}

/** Whether the depth of a value and the length of its texts and lists are limited. */
function isBounded(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.length <= MAX_LENGTH;
  if (typeof value !== "object" || value === null) return isPrimitive(value);
  const members = Object.values(value);
  return depth < 8 && members.length <= MAX_LENGTH && members.every((each) => isBounded(each, depth + 1));
}

/** The part of a provenance to write into `datapackage.json`. */
export function packagedProvenance(provenance: Provenance): PackagedProvenance {
  const { snapshot: _snapshot, cached: _cached, sources: _sources, inputs: _inputs, ...rest } = provenance;
  return { ...rest, ...fileProvenance(provenance) };
}

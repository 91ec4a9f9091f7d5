import { type Design, isDesign } from "../../frames/lineage/design.js";
import type { Step } from "../../frames/lineage/step.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/isObject.js";

/**
 * The provenance that a saved file carries: no times or addresses that change from run to run.
 *
 * @example
 * const provenance = await readFileProvenance("climate.parquet");
 * provenance?.operation; //=> "mentions"
 */
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
  /** Only for derived rows: the results that they come from. */
  readonly sources?: readonly FileProvenance[];
  /** Only for derived rows: the verbs since they were fetched, in order. */
  readonly steps?: readonly Step[];
  /** Only for samples: how their rows were drawn. */
  readonly design?: Design;
}

/** The provenance in `datapackage.json`: everything except paths and caches of the machine that wrote the file. */
export type PackagedProvenance = FileProvenance & Omit<Provenance, "snapshot" | "cached" | "sources">;

type Check = (value: unknown) => boolean;
const isString: Check = (value) => typeof value === "string";
const isStringOrNull: Check = (value) => value === null || isString(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isPrimitive: Check = (value) => value === null || ["string", "number", "boolean"].includes(typeof value);

/** The members, and what they may be in a file, which may come from elsewhere. */
const MEMBERS: Readonly<Record<Exclude<keyof FileProvenance, "sources" | "steps" | "design">, Check>> = {
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
};

/** The part of a provenance that goes into the file itself. Two runs of a search on one day give the same bytes. */
export function fileProvenance(provenance: Provenance): FileProvenance {
  const all = { ...provenance, retrieved: provenance.lastResponseAt?.slice(0, 10) ?? null };
  const names = Object.keys(MEMBERS) as Array<keyof typeof MEMBERS>;
  const own = Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as FileProvenance;
  const { sources, steps, design } = provenance;
  const drawn = design === undefined ? own : { ...own, design };
  return steps === undefined ? drawn : { ...drawn, sources: sources?.map(fileProvenance), steps };
}

/** Validates a provenance that was read from a file. */
export function isFileProvenance(value: unknown): value is FileProvenance {
  if (!isObject(value) || !Object.entries(MEMBERS).every(([name, check]) => check(value[name]))) return false;
  const { sources = [], steps = [], design } = value;
  if (design !== undefined && !isDesign(design)) return false;
  return Array.isArray(sources) && sources.every(isSource) && Array.isArray(steps) && steps.every(isStep);
}

/** A source is not derived itself. */
function isSource(value: unknown): boolean {
  return isObject(value) && value.sources === undefined && value.steps === undefined && isFileProvenance(value);
}

function isStep(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { verb, effect, detail = "", other = [] } = value;
  return [verb, effect, detail].every(isString) && Array.isArray(other) && other.every(isStep);
}

/** The part of a provenance that goes into `datapackage.json`. */
export function packagedProvenance(provenance: Provenance): PackagedProvenance {
  const { snapshot: _snapshot, cached: _cached, sources: _sources, ...rest } = provenance;
  return { ...rest, ...fileProvenance(provenance) };
}

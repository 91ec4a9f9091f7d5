import { basename } from "node:path";
import { warn } from "../../errors/warn.js";
import { type Step, sourcesOf } from "../../frames/lineage/derived.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/objects.js";
import { quoted } from "../../util/text.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

const MEMBERS = [
  ...(["operation", "parameters", "source", "rows", "duplicates", "conflicts", "verdict", "reason"] as const),
  ...(["cursor", "sha256", "version", "sample"] as const),
];

/**
 * The provenance in a saved file: `operation`, `parameters`, `source`, `version`, `rows`, `duplicates`, `conflicts`, `verdict`, `reason`,
 * `cursor` and `sha256`, and `sample` and `codebook` if there is one. Omits times and addresses that change from run to run.
 */
export interface FileProvenance extends Pick<Provenance, (typeof MEMBERS)[number]> {
  /** The date of the last response in UTC; null if there was none. */
  readonly retrieved: string | null;
  /** For rows of several results: these, up to 100. */
  readonly sources?: readonly FileProvenance[];
  /** For derived rows: the verbs since they were fetched, up to 100. */
  readonly steps?: readonly Step[];
  /** For codes: their codebook. */
  readonly codebook?: object;
}

/** The maximum length of a list in a file. */
const MAX_LISTED = 100;

/** The part of a provenance to write into a file. */
export function fileProvenance(provenance: Provenance): FileProvenance {
  const sources = sourcesOf(provenance);
  const { codebook } = provenance as Pick<FileProvenance, "codebook">;
  const omittedSources = sources.length - MAX_LISTED;
  const first = { verb: "…", text: `combined with the rows of ${omittedSources} further searches` };
  const steps = [...(omittedSources > 0 ? [first] : []), ...(provenance.steps ?? [])];
  const omittedSteps = steps.length - MAX_LISTED + 1;
  const last = { verb: "…", text: `passed through ${omittedSteps} further steps` };
  return {
    ...searchProvenance(sources.length === 1 ? (sources[0] as Provenance) : provenance),
    ...(sources.length > 1 && { sources: sources.slice(0, MAX_LISTED).map(searchProvenance) }),
    ...(steps.length > 0 && { steps: omittedSteps > 1 ? [...steps.slice(0, -omittedSteps), last] : steps }),
    ...(codebook && { codebook }),
  };
}

function searchProvenance(provenance: Provenance): FileProvenance {
  const members = MEMBERS.flatMap((name) => (provenance[name] === undefined ? [] : [[name, provenance[name]]]));
  const retrieved = provenance.lastResponseAt?.slice(0, 10) ?? null;
  return { ...(Object.fromEntries(members) as Pick<Provenance, (typeof MEMBERS)[number]>), retrieved };
}

/** Converts the provenance of a file to that of a result. */
export function provenanceOfFile(file: FileProvenance): Provenance {
  const { sources, steps, retrieved, codebook, ...members } = file;
  const result: Provenance = {
    ...members,
    baseUrl: file.source,
    firstResponseAt: retrieved,
    lastResponseAt: retrieved,
    pages: 0,
    requests: 0,
    retries: 0,
    cached: 0,
    snapshot: null,
  };
  const isDerived = sources !== undefined || steps !== undefined;
  return {
    ...result,
    ...(isDerived && { sources: sources?.map(provenanceOfFile) ?? [result] }),
    ...(steps && { steps }),
    ...(codebook && { codebook }),
  } as Provenance;
}

/** The provenance in the description of a file; undefined, with the warning `FILE_CHANGED`, if the file has changed since. */
export function resourceProvenance(
  path: string,
  resource: { readonly provenance?: FileProvenance },
  isUnchanged: boolean,
): FileProvenance | undefined {
  const file = quoted(basename(path));
  const provenance = checkedProvenance(resource.provenance, file);
  if (provenance === undefined || isUnchanged) return provenance;
  warn("FILE_CHANGED", `${file} has changed since datapackage.json described it, so its provenance is unknown.`);
  return undefined;
}

/** The provenance in the metadata of a Parquet file. */
export function metadataProvenance(path: string, metadata: ReadonlyMap<string, string>): FileProvenance | undefined {
  let value: unknown;
  try {
    value = JSON.parse(metadata.get(PARQUET_KEY) ?? "null");
  } catch {
    value = "not JSON";
  }
  return checkedProvenance(value, quoted(basename(path)));
}

// Files are untrusted input. No other code checks the form of a provenance.

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === "string" && value.length <= 100_000;
const textOrNull: Check = (value) => value === null || text(value);
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

function listOf(check: Check, { min = 0, max = MAX_LISTED } = {}): Check {
  return (value) => Array.isArray(value) && value.length >= min && value.length <= max && value.every(check);
}

/** An object with these members, and no others. */
function objectOf(required: Checks, optional: Checks = {}): Check {
  return (value) =>
    isObject(value) &&
    Object.entries(required).every(([name, check]) => Object.hasOwn(value, name) && check(value[name])) &&
    Object.entries(value).every(
      ([name, member]) => Object.hasOwn(required, name) || (Object.hasOwn(optional, name) && optional[name]?.(member)),
    );
}

const search: Checks = {
  operation: text,
  source: text,
  version: text,
  sha256: text,
  retrieved: textOrNull,
  parameters: (value) => isObject(value) && Object.values(value).every(text),
  rows: count,
  duplicates: count,
  conflicts: count,
  reason: textOrNull,
  cursor: textOrNull,
  verdict: (value) => value === "complete" || value === "capped" || value === "stopped",
};
const pageRows: Check = (value) => value === null || count(value);
const sample = objectOf({ of: count, rows: count, pages: count, seed: count, pageRows });
const step = objectOf({ verb: text, text }, { rows: listOf(count, { min: 2, max: 2 }) });
const variable = objectOf({ name: text, kind: text, values: listOf(text), question: text, scale: text });
const codebook = objectOf({ variables: listOf(variable), instructions: text, hash: text });
const sources = listOf(objectOf(search, { sample, codebook }), { min: 1 });
const isFileProvenance = objectOf(search, { sample, codebook, sources, steps: listOf(step) });

/** The provenance that came with a file; undefined, with a warning, if any member is malformed. */
function checkedProvenance(value: unknown, file: string): FileProvenance | undefined {
  if (value === undefined || value === null) return undefined;
  if (isFileProvenance(value)) return value as FileProvenance;
  warn("PROVENANCE_INVALID", `The provenance that came with ${file} is malformed, and is ignored.`);
  return undefined;
}

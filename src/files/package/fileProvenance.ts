import { type Step, sourcesOf } from "../../frames/lineage/derived.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";

const MEMBERS = [
  ...(["operation", "parameters", "source", "rows", "duplicates", "conflicts", "verdict", "reason"] as const),
  ...(["cursor", "sha256", "version", "sample"] as const),
];

/**
 * The provenance in a saved file: `operation`, `parameters`, `source`, `version`, `rows`, `duplicates`, `conflicts`, `verdict`, `reason`,
 * `cursor` and `sha256`, and `sample` and `codebook` if there is one. Times and addresses that change from run to run are left out.
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

/** The longest lists of a file. */
export const MAX_LISTED = 100;

/** The part of a provenance to write into a file. */
export function fileProvenance(provenance: Provenance): FileProvenance {
  const sources = sourcesOf(provenance);
  const { codebook } = provenance as Pick<FileProvenance, "codebook">;
  const others = sources.length - MAX_LISTED;
  const first = { verb: "…", text: `combined with the rows of ${others} further searches` };
  const steps = [...(others > 0 ? [first] : []), ...(provenance.steps ?? [])];
  const more = steps.length - MAX_LISTED + 1;
  const last = { verb: "…", text: `passed through ${more} further steps` };
  return {
    ...searched(sources.length === 1 ? (sources[0] as Provenance) : provenance),
    ...(sources.length > 1 && { sources: sources.slice(0, MAX_LISTED).map(searched) }),
    ...(steps.length > 0 && { steps: more > 1 ? [...steps.slice(0, -more), last] : steps }),
    ...(codebook && { codebook }),
  };
}

function searched(provenance: Provenance): FileProvenance {
  const members = MEMBERS.flatMap((name) => (provenance[name] === undefined ? [] : [[name, provenance[name]]]));
  const retrieved = provenance.lastResponseAt?.slice(0, 10) ?? null;
  return { ...(Object.fromEntries(members) as Pick<Provenance, (typeof MEMBERS)[number]>), retrieved };
}

/** Converts the provenance of a file to that of a result. */
export function provenanceOfFile(file: FileProvenance): Provenance {
  const { sources, steps, retrieved, codebook, ...members } = file;
  const result: Provenance = {
    ...{ ...members, baseUrl: file.source, firstResponseAt: retrieved, lastResponseAt: retrieved },
    ...{ pages: 0, requests: 0, retries: 0, cached: 0, snapshot: null },
  };
  const isDerived = sources !== undefined || steps !== undefined;
  return {
    ...result,
    ...(isDerived && { sources: sources?.map(provenanceOfFile) ?? [result] }),
    ...(steps && { steps }),
    ...(codebook && { codebook }),
  } as Provenance;
}

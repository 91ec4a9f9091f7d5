import { type Provenance, recorderOf } from "../../service/paging/provenanceRecorder.js";
import { sha256Of } from "../../util/hash.js";
import { sum } from "../../util/lists.js";
import { clip } from "../../util/text.js";

/** The results that the rows of a frame come from; a result that was not derived is its own source. */
export function sourcesOf(provenance: Provenance): readonly Provenance[] {
  return provenance.sources ?? [provenance];
}

/** The queries that rows come from, for a label; undefined if there are none. */
export function queriesOf(
  provenance: Provenance | undefined,
  queryOf = ({ parameters }: Provenance): string | undefined => parameters.query,
): string | undefined {
  const sources = provenance === undefined ? [] : sourcesOf(provenance);
  return [...new Set(sources.flatMap((source) => queryOf(source) ?? []))].join(" + ") || undefined;
}

/**
 * The provenance of a frame derived from one or more others.
 *
 * @param others the provenance of the further inputs
 */
export function deriveProvenance(provenance: Provenance, step: Step, others: readonly Provenance[] = []): Provenance {
  const inputs = others.filter((other) => other !== provenance);
  const lastStep = boundedStep(step);
  if (inputs.length === 0)
    return { ...provenance, sources: sourcesOf(provenance), steps: [...(provenance.steps ?? []), lastStep] };
  const sources = distinctSources([provenance, ...inputs].flatMap(sourcesOf));
  const steps = inputs.reduce((merged, { steps = [] }) => mergeSteps(merged, steps), provenance.steps ?? []);
  const merged: Provenance = { ...Object.assign({}, ...inputs), ...provenance };
  // The reports of `sample` and `speechesOnBill` hold for a single source only.
  const { sample: _sample, speeches: _speeches, ...withoutReports } = merged;
  return {
    ...(sources.length === 1 ? { ...merged, ...sources[0] } : combineSources(withoutReports, sources)),
    sources,
    steps: appendStep(steps, lastStep),
  };
}

/** Merges the steps of two frames. A step of both has no row counts if they differ. */
function mergeSteps(steps: readonly Step[], others: readonly Step[]): readonly Step[] {
  const result = [...steps];
  for (const step of others) {
    const at = result.findIndex((each) => isSame(each, step));
    if (at < 0) result.push(step);
    else if (String(result[at]?.rows) !== String(step.rows)) result[at] = { verb: step.verb, text: step.text };
  }
  return result;
}

const APPENDS = new Set(["concat", "vstack", "extend"]);

/** Appends a step. Frames that are appended in a loop are one step. */
function appendStep(steps: readonly Step[], step: Step): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || !APPENDS.has(step.verb) || !isSame(last, step)) return [...steps, step];
  const rows = last.rows && step.rows && { rows: [last.rows[0], step.rows[1]] as const };
  return [...steps.slice(0, -1), { verb: step.verb, text: step.text, ...rows }];
}

function isSame(a: Step, b: Step): boolean {
  return a.verb === b.verb && a.text === b.text;
}

/** Each source once. The batches of a scan share one, with the rows so far: the one with most rows counts. */
function distinctSources(sources: readonly Provenance[]): readonly Provenance[] {
  const byKey = new Map<unknown, Provenance>();
  for (const source of new Set(sources)) {
    // Equal sources count once too, such as those of a file that was read twice.
    const key = recorderOf(source) ?? JSON.stringify(source);
    const other = byKey.get(key);
    if (other === undefined || source.rows > other.rows) byKey.set(key, source);
  }
  return [...byKey.values()];
}

const COUNTS = ["pages", "requests", "retries", "rows", "duplicates", "conflicts", "cached"] as const;
const VERDICTS = ["complete", "capped", "stopped"];

/** Combines sources: sums, the worst verdict, and the parameters that are equal in all. */
function combineSources(first: Provenance, sources: readonly Provenance[]): Provenance {
  const distinct = (name: "operation" | "source" | "baseUrl" | "version") =>
    [...new Set(sources.map((source) => source[name]))].join(" + ");
  const allTimes = sources.flatMap(({ firstResponseAt, lastResponseAt }) => [firstResponseAt, lastResponseAt]);
  const times = allTimes.filter((time) => time !== null).sort();
  const worst = sources.reduce((a, b) => (VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict) ? b : a));
  const parameters = Object.entries(first.parameters).filter(([name, value]) =>
    sources.every((source) => source.parameters[name] === value),
  );
  return {
    ...first,
    ...Object.fromEntries(COUNTS.map((name) => [name, sum(sources.map((source) => source[name] ?? 0))])),
    operation: distinct("operation"),
    parameters: Object.fromEntries(parameters),
    baseUrl: distinct("baseUrl"),
    source: distinct("source"),
    version: distinct("version"),
    firstResponseAt: times[0] ?? null,
    lastResponseAt: times.at(-1) ?? null,
    verdict: worst.verdict,
    reason: worst.reason,
    cursor: null,
    sha256: sha256Of(sources.map(({ sha256 }) => sha256).join("")),
    snapshot: sources.every(({ snapshot }) => snapshot === first.snapshot) ? first.snapshot : null,
  };
}

declare module "../../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for derived frames: the results that the rows come from, each once. */
    sources?: readonly Provenance[];
    /** Only for derived frames: what was done to the rows, in order. The steps of a frame that was joined or appended come before that step. */
    steps?: readonly Step[];
  }
}

/** A verb that was applied to rows. */
export interface Step {
  /** The method or function: `"filter"`, `"groupBy"`, `"withMembers"`. */
  readonly verb: string;
  /** What it did: `filtered by [(col("length")) > (60.0)]`. */
  readonly text: string;
  /** Rows before and after it; absent for lazy frames. */
  readonly rows?: readonly [before: number, after: number];
}

/** The maximum length of the text of a step. */
export const MAX_TEXT = 1000;

/** The text of a step in one line of bounded length. */
function boundedStep({ text, ...step }: Step): Step {
  return { ...step, text: clip(text.replace(/\s+/g, " ").trim(), MAX_TEXT) };
}

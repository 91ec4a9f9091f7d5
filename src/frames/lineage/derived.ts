import { createHash } from "node:crypto";
import { type Provenance, recorderOf } from "../../service/paging/provenanceRecorder.js";
import { sum } from "../../util/lists.js";
import { clip } from "../../util/text.js";

/** The results that a frame comes from: for one that was not derived, its own. */
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
 * The provenance of a frame made from another one, or from several.
 *
 * @param others of further frames that went into it
 */
export function derived(provenance: Provenance, step: Step, others: readonly Provenance[] = []): Provenance {
  const further = others.filter((other) => other !== provenance);
  const done = boundedStep(step);
  if (further.length === 0)
    return { ...provenance, sources: sourcesOf(provenance), steps: [...(provenance.steps ?? []), done] };
  const sources = distinctSources([provenance, ...further].flatMap(sourcesOf));
  const steps = further.reduce((before, other) => withSteps(before, other.steps ?? []), provenance.steps ?? []);
  const all: Provenance = { ...Object.assign({}, ...further), ...provenance };
  const { sample: _sample, speeches: _speeches, ...shared } = all;
  const [only] = sources as readonly [Provenance];
  return {
    ...(sources.length === 1 ? { ...all, ...only } : combined(shared, sources)),
    sources,
    steps: withLast(steps, done),
  };
}

/** Steps, and those of another frame that are not among them. The rows of a step that both have are not those of both. */
function withSteps(steps: readonly Step[], others: readonly Step[]): readonly Step[] {
  const result = [...steps];
  for (const step of others) {
    const at = result.findIndex((each) => isSame(each, step));
    if (at < 0) result.push(step);
    else if (String(result[at]?.rows) !== String(step.rows)) result[at] = { verb: step.verb, text: step.text };
  }
  return result;
}

const APPENDS = new Set(["concat", "vstack", "extend"]);

/** In a loop that appends frames to one, all rounds are one step. */
function withLast(steps: readonly Step[], step: Step): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || !APPENDS.has(step.verb) || !isSame(last, step)) return [...steps, step];
  const rows = last.rows && step.rows && { rows: [last.rows[0], step.rows[1]] as const };
  return [...steps.slice(0, -1), { verb: step.verb, text: step.text, ...rows }];
}

function isSame(a: Step, b: Step): boolean {
  return a.verb === b.verb && a.text === b.text;
}

/** Each retrieval once. Batches of one scan have the provenance of the rows so far: the one with most rows counts. */
function distinctSources(sources: readonly Provenance[]): readonly Provenance[] {
  const byKey = new Map<unknown, Provenance>();
  for (const source of new Set(sources)) {
    // Results that are equal count once, too, such as those of a file that was read twice.
    const key = recorderOf(source) ?? JSON.stringify(source);
    const before = byKey.get(key);
    if (before === undefined || source.rows > before.rows) byKey.set(key, source);
  }
  return [...byKey.values()];
}

const COUNTS = ["pages", "requests", "retries", "rows", "duplicates", "conflicts", "cached"] as const;
const VERDICTS = ["complete", "capped", "stopped"];

/** Several sources as one: sums, the worst verdict, and the parameters that all of them share. */
function combined(first: Provenance, sources: readonly Provenance[]): Provenance {
  const different = (name: "operation" | "source" | "baseUrl" | "version") =>
    [...new Set(sources.map((source) => source[name]))].join(" + ");
  const times = sources.flatMap(({ firstResponseAt, lastResponseAt }) => [firstResponseAt, lastResponseAt]);
  const known = times.filter((time) => time !== null).sort();
  const worst = sources.reduce((a, b) => (VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict) ? b : a));
  const shared = Object.entries(first.parameters).filter(([name, value]) =>
    sources.every(({ parameters }) => parameters[name] === value),
  );
  return {
    ...first,
    ...Object.fromEntries(COUNTS.map((name) => [name, sum(sources.map((source) => source[name] ?? 0))])),
    operation: different("operation"),
    parameters: Object.fromEntries(shared),
    baseUrl: different("baseUrl"),
    source: different("source"),
    version: different("version"),
    firstResponseAt: known[0] ?? null,
    lastResponseAt: known.at(-1) ?? null,
    verdict: worst.verdict,
    reason: worst.reason,
    cursor: null,
    sha256: createHash("sha256")
      .update(sources.map(({ sha256 }) => sha256).join(""))
      .digest("hex"),
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

/** The longest text of a step. */
export const MAX_TEXT = 1000;

/** The text of a step in one line of bounded length. */
export function boundedStep({ text, ...step }: Step): Step {
  return { ...step, text: clip(text.replace(/\s+/g, " ").trim(), MAX_TEXT) };
}

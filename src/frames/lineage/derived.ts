import { createHash } from "node:crypto";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { sum } from "../../util/sum.js";
import { designAfter } from "./design.js";
import type { Step } from "./step.js";

declare module "../../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for derived frames: the results that the rows come from. */
    sources?: readonly Provenance[];
    /** Only for derived frames: the verbs since the rows were fetched, in order. */
    steps?: readonly Step[];
  }
}

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

/** The provenance of a frame made from another one. */
export function derived(provenance: Provenance, step: Step, others: readonly Provenance[] = []): Provenance {
  const before = provenance.steps ?? [];
  // A loop that appends frames is one step.
  const steps = isSame(before.at(-1), step) ? before : [...before, step];
  const { design: first, ...own } = provenance;
  const design = designAfter(step.verb, step.effect, [first, ...others.map((other) => other.design)]);
  const after = { steps, ...(design && { design }) };
  if (others.length === 0) return { ...own, sources: sourcesOf(provenance), ...after };
  const sources = distinctSources([provenance, ...others].flatMap(sourcesOf));
  return {
    ...withoutDesign(sources.length === 1 ? { ...own, ...(sources[0] as Provenance) } : combined(own, sources)),
    sources,
    ...after,
  };
}

/** Only the design after all steps counts. */
function withoutDesign({ design: _design, ...provenance }: Provenance): Provenance {
  return provenance;
}

function isSame(last: Step | undefined, step: Step): boolean {
  return last?.verb === step.verb && JSON.stringify(last) === JSON.stringify(step);
}

/** Each search once. Batches of one scan have the provenance of the rows so far: the last one counts. */
export function distinctSources(sources: readonly Provenance[]): readonly Provenance[] {
  const byRequest = new Map<unknown, Provenance>();
  for (const source of new Set(sources)) {
    const { operation, parameters, firstResponseAt, baseUrl } = source;
    const key =
      firstResponseAt === null
        ? source
        : JSON.stringify([operation, firstResponseAt, baseUrl, Object.entries(parameters)]);
    const known = byRequest.get(key);
    if (known === undefined || source.rows > known.rows) byRequest.set(key, source);
  }
  return [...byRequest.values()];
}

const COUNTS = ["pages", "requests", "retries", "rows", "duplicates", "conflicts", "cached", "redactions"] as const;
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

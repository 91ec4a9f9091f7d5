import { createHash } from "node:crypto";
import { type Provenance, recorderOf } from "../../service/paging/provenanceRecorder.js";
import { sum } from "../../util/sum.js";
import type { Lineage, Step } from "./step.js";

/** The results that a frame comes from: for one that was not derived, its own. */
export function sourcesOf(provenance: Provenance): readonly Provenance[] {
  return provenance.sources ?? [provenance];
}

export function lineageOf(provenance: Provenance): Lineage {
  const { inputs, steps = [] } = provenance;
  return { sources: sourcesOf(provenance), ...(inputs && { inputs }), steps };
}

/** The queries that rows come from, for a label; undefined if there are none. */
export function queriesOf(
  provenance: Provenance | undefined,
  queryOf = ({ parameters }: Provenance): string | undefined => parameters.query,
): string | undefined {
  const sources = provenance === undefined ? [] : sourcesOf(provenance);
  return [...new Set(sources.flatMap((source) => queryOf(source) ?? []))].join(" + ") || undefined;
}

/** All steps, those of combined frames first. */
export function stepsOf(provenance: Provenance): readonly Step[] {
  const steps: Step[] = [];
  const seen = new Set<Lineage>();
  const add = (lineage: Lineage) => {
    if (seen.has(lineage)) return;
    seen.add(lineage);
    lineage.inputs?.forEach(add);
    steps.push(...lineage.steps);
  };
  add(lineageOf(provenance));
  return steps;
}

/**
 * The provenance of a frame made from another one, or from several.
 *
 * @param others of further frames that went into it
 */
export function derived(provenance: Provenance, step: Step, others: readonly Provenance[] = []): Provenance {
  const further = others.filter((other) => other !== provenance);
  return further.length === 0 ? next(provenance, step) : joined(provenance, step, further);
}

function next(provenance: Provenance, step: Step): Provenance {
  return { ...provenance, sources: sourcesOf(provenance), steps: [...(provenance.steps ?? []), step] };
}

function joined(provenance: Provenance, step: Step, others: readonly Provenance[]): Provenance {
  const inputs = distinctInputs([...inputsBefore(provenance, step), ...others.map(lineageOf)]);
  const [only] = inputs as [Lineage & { readonly sources: readonly [Provenance] }];
  // Batches of one scan that were put together are its rows.
  if (inputs.length === 1 && only.inputs === undefined) {
    return { ...provenance, ...only.sources[0], sources: only.sources, steps: [...only.steps, step] };
  }
  const sources = distinctSources([provenance, ...others].flatMap(sourcesOf));
  const { sample: _sample, speeches: _speeches, ...first } = { ...Object.assign({}, ...others), ...provenance };
  return { ...(sources.length === 1 ? first : combined(first, sources)), sources, inputs, steps: [step] };
}

/** The inputs that a verb adds to: in a loop that appends frames to one, those of the rounds before. */
function inputsBefore(provenance: Provenance, step: Step): readonly Lineage[] {
  const { inputs, steps = [] } = provenance;
  const [last] = steps;
  const goesOn = steps.length === 1 && last?.verb === step.verb && step.effect === "joined" && step.verb !== "join";
  return inputs !== undefined && goesOn ? inputs : [lineageOf(provenance)];
}

function distinctInputs(inputs: readonly Lineage[]): readonly Lineage[] {
  return distinct(inputs, keyOf, ({ sources }) => (sources.length === 1 ? (sources[0]?.rows ?? 0) : 0));
}

/** Each retrieval once. */
export function distinctSources(sources: readonly Provenance[]): readonly Provenance[] {
  return distinct(new Set(sources), sourceKey, ({ rows }) => rows);
}

/** Each item once, by its key. Batches of one scan have the provenance of the rows so far: the one with most rows counts. */
function distinct<T>(items: Iterable<T>, key: (item: T) => string, rowsOf: (item: T) => number): readonly T[] {
  const byKey = new Map<string, T>();
  for (const item of items) {
    const id = key(item);
    const known = byKey.get(id);
    if (known === undefined || rowsOf(item) > rowsOf(known)) byKey.set(id, item);
  }
  return [...byKey.values()];
}

const ids = new WeakMap<object, number>();
let nextId = 0;

function idOf(object: object): string {
  if (!ids.has(object)) ids.set(object, nextId++);
  return String(ids.get(object));
}

/** The same for batches of one result, and for results that are equal, such as those of a file that was read twice. */
function sourceKey(source: Provenance): string {
  const recorder = recorderOf(source);
  return recorder === undefined ? JSON.stringify(source) : idOf(recorder);
}

/** The same for batches of one scan, and for a frame that is used again. */
function keyOf({ sources, inputs, steps }: Lineage): string {
  const origin = inputs === undefined ? sources.map(sourceKey).join(" ") : idOf(inputs);
  return `${origin} ${JSON.stringify(steps.map(({ rows: _rows, ...step }) => step))}`;
}

export function sourceIndex(sources: readonly Provenance[], source: Provenance | undefined): number {
  const at = source === undefined ? -1 : sources.indexOf(source);
  if (at >= 0 || source === undefined) return Math.max(0, at);
  const key = sourceKey(source);
  return Math.max(
    0,
    sources.findIndex((each) => sourceKey(each) === key),
  );
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

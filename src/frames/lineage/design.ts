import { isObject } from "../../util/isObject.js";
import type { StepEffect } from "./step.js";

declare module "../../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for samples: how their rows were drawn. */
    design?: Design;
  }
}

/** A part of what was drawn from, with its own number of drawn rows. */
export interface Stratum {
  /** `"all"`, `"2024"`, the value of a column, or several that were joined. */
  readonly name: string;
  /** Rows that it has. */
  readonly of: number;
  /** Rows that were drawn from it. */
  readonly drawn: number;
}

/** One draw: `"row"` if rows were drawn, `"page"` if pages of a search were, and rows from them. */
export interface Phase {
  /** What was drawn. */
  readonly unit: "row" | "page";
  /** What was drawn from. */
  readonly strata: readonly Stratum[];
}

/** How the rows of a sample were drawn, and from what: the part of a design that lineage and files carry. */
export interface Design {
  /** The draws, the first one first: a sample of a sample has two. */
  readonly phases: readonly Phase[];
}

/** The design after a verb. Groups and other summaries are no longer a sample. Concatenated frames have the draws of all. */
export function designAfter(
  verb: string,
  effect: StepEffect,
  [first, ...others]: readonly (Design | undefined)[],
): Design | undefined {
  if (effect === "summary") return undefined;
  if (effect !== "joined" || verb.startsWith("join")) return first;
  const different = others.filter((other) => JSON.stringify(other) !== JSON.stringify(first));
  if (different.length === 0) return first;
  // Strata of different samples, or of a sample and all rows: only the rows themselves know their probability.
  const phases = [first, ...different].flatMap((design) => design?.phases ?? []);
  const unit = phases.some((phase) => phase.unit === "page") ? "page" : "row";
  return { phases: [{ unit, strata: phases.flatMap(({ strata }) => strata) }] };
}

export function isDesign(value: unknown): boolean {
  const isPhase = (phase: unknown) =>
    isObject(phase) && /^(?:row|page)$/.test(String(phase.unit)) && isListOf(phase.strata, isStratum);
  return isObject(value) && isListOf(value.phases, isPhase);
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isStratum(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, of, drawn } = value;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return typeof name === "string" && isCount(of) && isCount(drawn);
}

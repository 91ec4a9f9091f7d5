import type { pl } from "../../frames/polars.js";
import { printableLines } from "./displayText.js";

/** A scan, identified by shape: this module does not import `scan`. */
export interface ScanLike {
  explain(): string;
  collect(): Promise<unknown>;
}

/** Whether a value is a scan. */
export function isScan(value: unknown): value is ScanLike {
  if (typeof value !== "object" || value === null) return false;
  const { explain, collect, pushdown } = value as Readonly<Record<string, unknown>>;
  return [explain, collect, pushdown].every((member) => typeof member === "function");
}

/** The plan of a lazy frame or scan. Nothing is executed. */
export function planText(lazy: pl.LazyDataFrame | ScanLike): string {
  if (isScan(lazy)) return printableLines(lazy.explain());
  return `lazy frame, not run yet: await lazy.collect() returns its frame\n${printableLines(lazyPlan(lazy))}`;
}

function lazyPlan(lazy: pl.LazyDataFrame): string {
  try {
    return lazy.describeOptimizedPlan();
  } catch (error) {
    // Planning fails for example if a scanned file or a column is missing.
    return `its plan is invalid: ${error instanceof Error ? error.message : String(error)}`;
  }
}

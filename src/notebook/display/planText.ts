import type { pl } from "../../frames/polars.js";
import { printableLines } from "./displayText.js";

/** A scan of the archive, by what it looks like: this room does not know that one. */
export interface ScanLike {
  explain(): string;
  collect(): Promise<unknown>;
}

/** Whether a value is a scan: it can say how it will run. */
export function isScan(value: unknown): value is ScanLike {
  if (typeof value !== "object" || value === null) return false;
  const { explain, collect, pushdown } = value as Readonly<Record<string, unknown>>;
  return [explain, collect, pushdown].every((member) => typeof member === "function");
}

/** How a lazy frame or a scan will run. Neither is run for that. */
export function planText(lazy: pl.LazyDataFrame | ScanLike): string {
  if (isScan(lazy)) return printableLines(lazy.explain());
  return `lazy frame, not run yet: await lazy.collect() gives its frame\n${printableLines(lazyPlan(lazy))}`;
}

function lazyPlan(lazy: pl.LazyDataFrame): string {
  try {
    return lazy.describeOptimizedPlan();
  } catch (error) {
    // A plan that cannot be made can still be shown: a file that it scans is gone, a column is not there.
    return `its plan fails: ${error instanceof Error ? error.message : String(error)}`;
  }
}

import { clip } from "../../util/quoted.js";
import { COLORS, GREY } from "./chartTheme.js";

/** The values of a column as few names. */
export interface Ranking {
  /** The name of each value, in the order of the rows. */
  readonly names: readonly string[];
  /** The different names, the most frequent first and `others` last. */
  readonly order: readonly string[];
}

const OTHERS = "others";
const UNKNOWN = "unknown";

/** The most frequent values by their own names, as many as there are colours, and the rest as `others`. */
export function rankValues(values: readonly unknown[]): Ranking {
  const all = values.map((value) => (value === null || value === "" ? UNKNOWN : clip(String(value), 60)));
  const counts = new Map<string, number>();
  for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const byCount = [...counts].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1)).map(([name]) => name);
  if (byCount.length <= COLORS.length) return { names: all, order: byCount };
  const kept = byCount.slice(0, COLORS.length);
  const names = all.map((name) => (kept.includes(name) ? name : OTHERS));
  return { names, order: kept.includes(OTHERS) ? kept : [...kept, OTHERS] };
}

/** The scale that gives every name its colour. */
export function rankingColors(order: readonly string[]): { domain: readonly string[]; range: readonly string[] } {
  return { domain: order, range: order.map((_name, at) => COLORS[at] ?? GREY) };
}

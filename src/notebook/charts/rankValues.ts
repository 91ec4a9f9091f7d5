import { clip } from "../../util/quoted.js";
import { COLORS, GREY } from "./chartTheme.js";

/** The values of a column, reduced to a few groups. */
export interface Ranking {
  /** The group of each row. */
  readonly names: readonly string[];
  /** The distinct groups, most frequent first and `others` last. */
  readonly order: readonly string[];
}

const OTHERS = "others";
const UNKNOWN = "unknown";

/** Keeps the most frequent values, one per color, and groups the rest as `others`. */
export function rankValues(values: readonly unknown[]): Ranking {
  const all = values.map((value) => (value === null || value === "" ? UNKNOWN : clip(String(value), 60)));
  const counts = new Map<string, number>();
  for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const byCount = [...counts].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1)).map(([name]) => name);
  if (byCount.length <= COLORS.length) return { names: all, order: byCount };
  const top = byCount.slice(0, COLORS.length);
  const names = all.map((name) => (top.includes(name) ? name : OTHERS));
  return { names, order: top.includes(OTHERS) ? top : [...top, OTHERS] };
}

/** The color scale of the groups. */
export function rankingColors(order: readonly string[]): { domain: readonly string[]; range: readonly string[] } {
  return { domain: order, range: order.map((_name, at) => COLORS[at] ?? GREY) };
}

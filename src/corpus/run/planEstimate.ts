import { sum } from "../../util/sum.js";

/** What is estimated of a plan. */
export type Estimate = Readonly<Record<"rows" | "requests" | "low" | "high" | "lookups", number>>;

/** A counted window: its rows, the requests for all of it, and those that are left. */
interface Count {
  readonly rows: number;
  readonly requests: number;
  readonly left: number;
}

/** The rows and requests of all windows, from those that were counted: a simple random sample. */
export function estimatePages(counts: readonly Count[], total: number) {
  const counted = counts.length;
  const unseen = total - counted;
  if (counted === 0) return { rows: 0, requests: total, low: total, high: total, unseen };
  const left = sum(counts.map((count) => count.left));
  const mean = sum(counts.map(({ requests }) => requests)) / counted;
  const variance = sum(counts.map(({ requests }) => (requests - mean) ** 2)) / Math.max(1, counted - 1);
  // Student's t, about; and a window that is unlike all that were counted.
  const spread =
    (2 + 4 / counted) * Math.sqrt((variance * unseen * total) / counted) + (unseen * Math.max(1, mean)) / counted;
  const rows = Math.round((sum(counts.map((count) => count.rows)) / counted) * total);
  const requests = left + mean * unseen;
  return { rows, requests, low: Math.max(left + unseen, requests - spread), high: requests + spread, unseen };
}

/** Ids that lookups would ask for: in how many of the counted windows each is. */
export interface SeenIds {
  readonly column: string;
  /** Ids that are in the table. */
  readonly known: ReadonlySet<string>;
  readonly windows: Map<string, number>;
}

/**
 * Different ids in so many rows, at least and at most. Their number grows like a power of the rows, whose exponent is the share of ids that one
 * window alone has, and gets smaller. At least those of Chao (1984): what is missing follows from how many are in one and in two windows.
 */
export function estimateLookups(
  { windows }: SeenIds,
  seen: number,
  rows: number,
  isWhole: boolean,
): { found: number; few: number; many: number } {
  const ids = windows.size;
  if (ids === 0 || (isWhole && seen >= rows)) return { found: ids, few: ids, many: ids };
  const times = [...windows.values()];
  const [once, twice] = [1, 2].map((count) => times.filter((one) => one === count).length) as [number, number];
  const ratio = Math.max(1, rows / seen);
  const many = ids * ratio ** Math.min(1, once / ids + 1 / Math.sqrt(ids));
  const chao = Math.min(many, ids + ((once * (once - 1)) / (2 * (twice + 1))) * (1 - 1 / ratio));
  return { found: (many + chao) / 2, few: Math.min(chao, ids + (many - ids) / 4), many };
}

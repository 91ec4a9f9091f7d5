import { groupBy } from "../util/groupBy.js";

/** Rows to draw, and pages to draw them from; more are used if these are too few. */
export interface SampleSize {
  readonly rows: number;
  readonly pages: number;
}

export interface Draw {
  /** By page number (from 1): the positions on that page (from 0), ascending. */
  readonly positions: ReadonlyMap<number, readonly number[]>;
  /** "rows": every combination of rows was equally likely. "pages": every row was equally likely, but rows were drawn in clusters of one page. */
  readonly by: "rows" | "pages";
}

/**
 * Draws rows without replacement, each with probability `rows / of`. Pages are drawn systematically from a random start, with
 * probability proportional to size. The last page, which may be short, is drawn together with the one before it. If the pages
 * would cover most of the result, rows are drawn directly.
 *
 * @param search its rows, and those on every page but the last
 * @param random like `Math.random`
 */
export function drawRows(
  { of, pageRows }: { readonly of: number; readonly pageRows: number },
  { rows, pages }: SampleSize,
  random: () => number,
): Draw {
  const count = Math.min(rows, of);
  const groups = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.ceil(of / pageRows);
  const largest = of % pageRows === 0 ? pageRows : pageRows + (of % pageRows);
  if (groups * largest > of) return { positions: byPage(distinct(count, of, random), pageRows), by: "rows" };
  const extra = new Set(distinct(count % groups, groups, random));
  const start = random();
  const drawn: number[] = [];
  for (let at = 0; at < groups; at++) {
    const page = Math.min(last, Math.floor(((at + start) * of) / groups / pageRows) + 1);
    const isLarge = largest > pageRows && page >= last - 1;
    const from = ((isLarge ? last - 1 : page) - 1) * pageRows;
    const size = Math.floor(count / groups) + (extra.has(at) ? 1 : 0);
    for (const row of distinct(size, isLarge ? largest : pageRows, random)) drawn.push(from + row);
  }
  return { positions: byPage(drawn, pageRows), by: "pages" };
}

/** `count` distinct numbers below `size`, ascending; each set is equally likely (Floyd's algorithm). */
function distinct(count: number, size: number, random: () => number): number[] {
  const drawn = new Set<number>();
  for (let top = size - count; top < size; top++) {
    const at = Math.floor(random() * (top + 1));
    drawn.add(drawn.has(at) ? top : at);
  }
  return [...drawn].sort((a, b) => a - b);
}

/** Converts positions in the whole result to positions on each page. */
function byPage(positions: readonly number[], pageRows: number): Map<number, number[]> {
  const pages = groupBy(positions, (position) => Math.floor(position / pageRows) + 1);
  return new Map([...pages].map(([page, rows]) => [page, rows.map((position) => position % pageRows)]));
}

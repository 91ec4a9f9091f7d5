import { groupBy } from "../util/groupBy.js";

/** What to draw from. */
export interface DrawOptions {
  /** Rows of the search. */
  readonly of: number;
  /** Rows on every page but the last. */
  readonly pageRows: number;
  /** Rows to draw. */
  readonly rows: number;
  /** Pages to draw them from; more if they are too small. */
  readonly pages: number;
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number;
}

/** The rows that were drawn. */
export interface Draw {
  /** Positions on each page, from 0, by page number, from 1; in order. */
  readonly positions: ReadonlyMap<number, readonly number[]>;
  /** "rows": every combination of rows was equally likely. "pages": every row was, but rows come in groups of a page. */
  readonly by: "rows" | "pages";
}

/**
 * Draws rows without replacement. Each row has the same probability, `rows / of`. Pages are drawn at equal distances from a random
 * start, where a page counts with its rows: large pages are as much more likely as their rows are then less likely. The last page,
 * which may have few rows, is drawn together with the one before it. If the pages would be most of the result anyway, the rows are
 * drawn directly.
 */
export function drawRows({ of, pageRows, rows, pages, random }: DrawOptions): Draw {
  const count = Math.min(rows, of);
  const groups = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.ceil(of / pageRows);
  const largest = of % pageRows === 0 ? pageRows : pageRows + (of % pageRows);
  if (groups * largest > of) return { positions: byPage(positionsIn(0, of, count, random), pageRows), by: "rows" };
  const extra = new Set(distinct(count % groups, groups, random));
  const start = random();
  const drawn: number[] = [];
  for (let at = 0; at < groups; at++) {
    const page = Math.min(last, Math.floor(((at + start) * of) / groups / pageRows) + 1);
    const isLarge = largest > pageRows && page >= last - 1;
    const from = ((isLarge ? last - 1 : page) - 1) * pageRows;
    const size = Math.floor(count / groups) + (extra.has(at) ? 1 : 0);
    drawn.push(...positionsIn(from, isLarge ? largest : pageRows, size, random));
  }
  return { positions: byPage(drawn, pageRows), by: "pages" };
}

/** `count` of the `size` positions from `from` on, ascending. */
function positionsIn(from: number, size: number, count: number, random: () => number): number[] {
  return distinct(count, size, random).map((at) => from + at);
}

/** `count` different numbers below `size`, ascending; each set of them is equally likely (Floyd's algorithm). */
function distinct(count: number, size: number, random: () => number): number[] {
  const drawn = new Set<number>();
  for (let top = size - count; top < size; top++) {
    const at = Math.floor(random() * (top + 1));
    drawn.add(drawn.has(at) ? top : at);
  }
  return [...drawn].sort((a, b) => a - b);
}

/** Positions in the whole result, as positions on each page. */
function byPage(positions: readonly number[], pageRows: number): Map<number, number[]> {
  const pages = groupBy(positions, (position) => Math.floor(position / pageRows) + 1);
  return new Map([...pages].map(([page, own]) => [page, own.map((position) => position % pageRows)]));
}

import { groupBy } from "../util/groupBy.js";

/** Rows to draw, and pages to draw them from; more are used if these are too few. */
export interface SampleSize {
  readonly rows: number;
  readonly pages: number;
}

/**
 * Draws rows without replacement, each with probability `rows / of`. Pages are drawn systematically from a random start, with
 * probability proportional to size. The last page, which may be short, is drawn together with the one before it.
 *
 * @param search its rows, and those on every page but the last
 * @param random like `Math.random`
 * @returns by page number (from 1), the positions on that page (from 0), ascending; undefined if the pages would cover most of the result
 */
export function drawRows(
  { of, pageRows }: { readonly of: number; readonly pageRows: number },
  { rows, pages }: SampleSize,
  random: () => number,
): ReadonlyMap<number, readonly number[]> | undefined {
  const count = Math.min(rows, of);
  const clusters = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.ceil(of / pageRows);
  const largest = of % pageRows === 0 ? pageRows : pageRows + (of % pageRows);
  if (clusters * largest > of) return undefined;
  const extra = new Set(distinctNumbers(count % clusters, clusters, random));
  const start = random();
  const places: number[] = [];
  for (let at = 0; at < clusters; at++) {
    const page = Math.min(last, Math.floor(((at + start) * of) / clusters / pageRows) + 1);
    const isLarge = largest > pageRows && page >= last - 1;
    const from = ((isLarge ? last - 1 : page) - 1) * pageRows;
    const size = Math.floor(count / clusters) + (extra.has(at) ? 1 : 0);
    for (const row of distinctNumbers(size, isLarge ? largest : pageRows, random)) places.push(from + row);
  }
  const byPage = groupBy(places, (place) => Math.floor(place / pageRows) + 1);
  return new Map([...byPage].map(([page, all]) => [page, all.map((place) => place % pageRows)]));
}

/** `count` distinct numbers below `size`, ascending; each set is equally likely (Floyd's algorithm). */
export function distinctNumbers(count: number, size: number, random: () => number): number[] {
  const numbers = new Set<number>();
  for (let top = size - count; top < size; top++) {
    const at = Math.floor(random() * (top + 1));
    numbers.add(numbers.has(at) ? top : at);
  }
  return [...numbers].sort((a, b) => a - b);
}

import { groupBy } from "../util/groupBy.js";

/**
 * Draws rows without replacement, each with probability `rows / of`. Pages are drawn systematically from a random start, with
 * probability proportional to size. The last page, if it is short, and the one before it are drawn as one.
 *
 * @param size rows to draw, and pages to draw them from; more are used if these are too few
 * @returns by page number (from 1), the positions on that page (from 0), ascending; undefined if the pages would cover most of the result
 */
export function drawRows(
  { of, pageRows }: { readonly of: number; readonly pageRows: number },
  { rows, pages }: { readonly rows: number; readonly pages: number },
  random: () => number,
): ReadonlyMap<number, readonly number[]> | undefined {
  const count = Math.min(rows, of);
  const draws = Math.min(count, Math.max(pages, Math.ceil(count / pageRows)));
  const last = Math.floor(of / pageRows) - 1;
  const lastRows = of - last * pageRows;
  if (draws * lastRows > of) return undefined;
  const extra = new Set(distinctNumbers(count % draws, draws, random));
  const start = random();
  const places = [...Array(draws).keys()].flatMap((at) => {
    const page = Math.min(last, Math.floor(((at + start) * of) / draws / pageRows));
    const size = Math.floor(count / draws) + (extra.has(at) ? 1 : 0);
    return distinctNumbers(size, page === last ? lastRows : pageRows, random).map((row) => page * pageRows + row);
  });
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

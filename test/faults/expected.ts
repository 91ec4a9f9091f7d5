import type { Case } from "./cases.js";
import { PAGE_ROWS, ROWS } from "./server/corpus.js";
import { numbers, pageAt } from "./server/paging.js";

/** So many pages in a row without a new row are a cursor that goes in circles. */
const STALE_PAGES = 3;

/**
 * The rows that may come of a case, each list a possibility: what the documented rules of the cursor lead to, and, where a
 * cursor misleads, everything, since pages have numbers as well.
 */
export function expectedRows({ fault, way, place }: Case): number[][] {
  const pageFault = fault.page ?? ((page) => page);
  if (way.onePage) {
    const { rows } = pageFault(pageAt(`c${(place - 1) * PAGE_ROWS}`), place);
    // The body is as it was sent; of rows that are equal as a whole every other result has one.
    return [way.body ? [...rows] : [...new Set(rows)]];
  }
  const rows = new Set<number>();
  const followed = new Set<unknown>();
  let cursor: string | undefined;
  for (let stale = 0; stale < STALE_PAGES; ) {
    const page = pageFault(pageAt(cursor), place);
    const before = rows.size;
    for (const row of page.rows) rows.add(row);
    const { next } = page;
    if (page.rows.length === 0 || typeof next !== "string" || next === "" || followed.has(next)) break;
    stale = rows.size === before ? stale + 1 : 0;
    followed.add(next);
    cursor = next;
  }
  const all = numbers(0, ROWS);
  const mayEndEarly = fault.page !== undefined && fault.code === undefined;
  return [...(mayEndEarly ? [[...rows]] : []), all].map((some) => some.slice(0, way.most));
}

import type { Case } from "./cases.js";
import { cursorOf, numbers, pageAt, ROWS } from "./numberedRows.js";

/** Consecutive pages without a new row after which a cursor counts as circular. */
const STALE_PAGES = 3;

/**
 * The row numbers that a case may return; each list is one possibility: the rows that the documented cursor rules lead to, and
 * all rows if a cursor misleads, because page numbers can still reach them.
 */
export function expectedRows({ fault, call, place }: Case): number[][] {
  const change = fault.page ?? ((page) => page);
  if (call.isOnePage) {
    const { rows } = change(pageAt(cursorOf(place)), place);
    // The body is returned unchanged; every other result drops duplicate rows.
    return [call.isBody ? [...rows] : [...new Set(rows)]];
  }
  const rows = new Set<number>();
  const followed = new Set<unknown>();
  let cursor: string | undefined;
  for (let stale = 0; stale < STALE_PAGES; ) {
    const { next, ...page } = change(pageAt(cursor), place);
    const before = rows.size;
    for (const row of page.rows) rows.add(row);
    if (page.rows.length === 0 || typeof next !== "string" || next === "" || followed.has(next)) break;
    stale = rows.size === before ? stale + 1 : 0;
    followed.add(next);
    cursor = next;
  }
  const mayEndEarly = fault.page !== undefined && fault.code === undefined;
  return [...(mayEndEarly ? [[...rows]] : []), numbers(0, ROWS)].map((some) => some.slice(0, call.maxItems));
}

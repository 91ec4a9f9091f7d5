import { APIError } from "../../errors/index.js";
import { lastRowBytes } from "../json/rowSlices.js";
import type { Page } from "./page.js";

/** So many pages in a row that end with the last known row and bring nothing new lead nowhere. */
const STALE_PAGES = 3;

/**
 * - moving: the page brought something, or at least leads through rows that have come
 * - end: the last rows come again and again, because rows were added in front during the walk
 * - circles: the cursor leads to no further rows
 */
export type Movement = "moving" | "end" | "circles";

/** Watches pages that bring nothing new, which may mean that the rows have shifted or that the cursor goes in circles. */
export class StallDetector {
  /** Pages in a row that brought nothing new. */
  stalePages = 0;
  /** Those of them in a row that end with the last row. */
  #atLast = 0;
  /** Pages that brought something. */
  #fruitful = 0;
  /** The last row that has come. */
  #lastRow: Buffer = Buffer.alloc(0);
  /** Rows of the longest page. */
  #longest = 0;

  /**
   * Looks at a page.
   *
   * @param whole the page as it was sent
   * @param fresh how many of its rows are kept
   */
  observe(whole: Page, fresh: number): Movement {
    const rows = whole.ids.length;
    if (fresh > 0 || rows === 0) {
      this.stalePages = this.#atLast = 0;
      this.#fruitful++;
      this.#lastRow = lastRowBytes(whole);
      this.#longest = Math.max(this.#longest, rows);
      return "moving";
    }
    this.stalePages++;
    if (lastRowBytes(whole).equals(this.#lastRow)) {
      this.#atLast++;
      if (this.#atLast < STALE_PAGES) return "moving";
      // Each row added in front pushes a known one beyond the end of the list: those come, and are fewer than a page has.
      return rows < this.#longest ? "end" : "circles";
    }
    this.#atLast = 0;
    // Rows that have shifted lead back to the first known ones at most; after as many pages there must be something new.
    return this.stalePages > this.#fruitful + STALE_PAGES ? "circles" : "moving";
  }
}

/** The error of a cursor that goes in circles. */
export function cursorCycleError(path: string, stalePages: number, rows: number): APIError {
  const what = `${stalePages} pages in a row brought no row that was not there already`;
  return new APIError(`GET ${path}: the cursor goes in circles: ${what}.`, {
    code: "CURSOR_CIRCLES",
    hint: `No cursor leads on from there. Pass maxItems: ${rows} to take the rows that came before for the result.`,
    method: "GET",
    path,
  });
}

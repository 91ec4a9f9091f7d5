import { APIError } from "../../errors/index.js";
import { option, wording } from "../../errors/wording.js";
import { lastRowBytes } from "../../pages/rows.js";
import { quoted } from "../../util/quoted.js";
import type { Page } from "./page.js";

/** After this many consecutive pages that end with the last known row and have no new one, the pagination cannot advance. */
const MAX_STALE_PAGES = 3;

/**
 * - moving: the page has new rows, or at least leads through known ones
 * - end: the last rows repeat, because rows were added in front during the pagination
 * - cycle: the cursor leads to no further rows
 */
export type Movement = "moving" | "end" | "cycle";

/** Watches for pages without new rows: either the rows have shifted, or the cursor leads back to earlier pages. */
export class StallDetector {
  /** Consecutive pages without a new row. */
  stalePages = 0;
  /** The most recent of them that end with the last known row. */
  #atLast = 0;
  /** Pages with new rows. */
  #freshPages = 0;
  #lastRow: Buffer = Buffer.alloc(0);
  /** Rows of the longest page. */
  #longest = 0;

  /**
   * Checks a page.
   *
   * @param page the page as sent
   * @param fresh how many of its rows are new
   */
  observe(page: Page, fresh: number): Movement {
    const rows = page.ids.length;
    if (fresh > 0 || rows === 0) {
      this.stalePages = this.#atLast = 0;
      this.#freshPages++;
      // A copy, because the memory of the page is reused.
      this.#lastRow = Buffer.from(lastRowBytes(page));
      this.#longest = Math.max(this.#longest, rows);
      return "moving";
    }
    this.stalePages++;
    if (lastRowBytes(page).equals(this.#lastRow)) {
      this.#atLast++;
      if (this.#atLast < MAX_STALE_PAGES) return "moving";
      // Each row added in front pushes a known row past the end. Those rows repeat, and fill less than a page.
      return rows < this.#longest ? "end" : "cycle";
    }
    this.#atLast = 0;
    // Shifted rows lead back to the first known row at most, so new rows must follow within as many pages.
    return this.stalePages > this.#freshPages + MAX_STALE_PAGES ? "cycle" : "moving";
  }
}

/** The error for a cursor that keeps changing without leading to new rows. */
export function cursorCycleError(path: string, stalePages: number, rows: number): APIError {
  return new APIError(`GET ${path}: the cursor repeats earlier pages: ${stalePages} pages in a row had no new rows.`, {
    code: "CURSOR_CIRCLES",
    hint: wording`The cursor cannot reach further rows. Pass ${option("maxItems", rows)} to accept the rows before it as the result.`,
    method: "GET",
    path,
  });
}

/** The error for a page that leads on by a cursor that cannot be read. */
export function unknownCursorError(path: string, member: string, rows: number): APIError {
  return new APIError(`GET ${path}: the response has a cursor in an unknown form: its member ${quoted(member)}.`, {
    code: "UNKNOWN_CURSOR",
    hint: wording`Further rows cannot be reached. Pass ${option("maxItems", rows)} to accept the rows so far as the result.`,
    method: "GET",
    path,
  });
}

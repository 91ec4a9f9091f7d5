import { PAGE_ROWS, type Place, ROWS } from "./corpus.js";

/** A page of numbered rows. */
export interface NumberedPage {
  /** Number of rows before its first one. */
  readonly offset: number;
  /** The cursor for this page, even if it was requested by number. */
  readonly sent: string;
  readonly rows: readonly number[];
  /** The cursor member; `undefined` for none. */
  readonly next: unknown;
}

/** Turns a regular page into a faulty one. `place` is the page on which the fault strikes. */
export type PageFault = (page: NumberedPage, place: Place) => NumberedPage;

/** The regular page at a cursor, or at a page number without one. Every page has a cursor, and the last page is empty. */
export function pageAt(cursor: string | undefined, number = 1, size = PAGE_ROWS): NumberedPage {
  const offset = cursor === undefined ? (number - 1) * size : Number(/^c(\d+)/.exec(cursor)?.[1]);
  const sent = cursor ?? `c${offset}`;
  const end = Math.min(ROWS, offset + size);
  return { offset, sent, rows: numbers(offset, end), next: `c${Math.max(offset, end)}` };
}

/** Row numbers after the first `from` up to the `to`-th. */
export function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at + 1);
}

/** Whether a fault strikes on this page, requested by its regular cursor. */
export function isAt(page: NumberedPage, place: Place): boolean {
  return page.offset === (place - 1) * PAGE_ROWS && /^c\d+$/.test(page.sent);
}

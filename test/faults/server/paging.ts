import { PAGE_ROWS, type Place, ROWS } from "./corpus.js";

/** A page of numbered rows. */
export interface NumberedPage {
  /** Rows that come before its first one. */
  readonly offset: number;
  /** The cursor that it was, or would have been, asked for with. */
  readonly sent: string;
  readonly rows: readonly number[];
  /** What stands in the cursor member; `undefined` for no such member. */
  readonly next: unknown;
}

/** What a fault makes of an ordinary page. `place` says on which page it is to strike. */
export type PageFault = (page: NumberedPage, place: Place) => NumberedPage;

/** The ordinary page at a cursor, or by number where there is none: a cursor on every page, the last one empty. */
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

/** Whether a page is the one on which a fault is to strike, asked for by its ordinary cursor. */
export function isAt(page: NumberedPage, place: Place): boolean {
  return page.offset === (place - 1) * PAGE_ROWS && /^c\d+$/.test(page.sent);
}

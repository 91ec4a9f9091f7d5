/** Number of rows on a page. */
export const PAGE_ROWS = 4;
/** Number of rows: numbered from 1, on five full pages. */
export const ROWS = 20;
/** The pages on which a fault can strike: the first, the middle and the last one. */
export const PLACES = [1, 3, 5] as const;
export type Place = (typeof PLACES)[number];

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

/** The regular page at a cursor, or at a page number without one. Every page has a cursor, and the last page is empty. */
export function pageAt(cursor: string | undefined, number = 1, size = PAGE_ROWS): NumberedPage {
  const offset = cursor === undefined ? (number - 1) * size : Number(/^c(\d+)/.exec(cursor)?.[1]);
  const end = Math.min(ROWS, offset + size);
  return { offset, sent: cursor ?? `c${offset}`, rows: numbers(offset, end), next: `c${Math.max(offset, end)}` };
}

/** Row numbers after the first `from` up to the `to`-th. */
export function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at + 1);
}

/** The regular cursor of a page. */
export const cursorOf = (place: Place): string => `c${(place - 1) * PAGE_ROWS}`;

/** The row of an operation with a number, which several members repeat: rows that are mixed up show. */
export function rowOf(operation: string, n: number): object {
  const text = textOf(n);
  if (operation === "people") return { id: n, name: `Speaker ${n}`, firstName: "anné", title: "U.S. Senator" };
  if (operation === "bills") return { id: n, congress: 117, billnumber: String(n), billtitle: text };
  const begintime = new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString().replace(".000", "");
  return { id: String(n), begintime, personid: 7 + (n % 2), text, length: n, programid: 1000 + n, videoTypeId: 18 };
}

/** The number of a row if its members agree on it, otherwise the row as JSON. */
export function numberOf(row: object): number | string {
  const { id, text, billtitle, length, billnumber } = row as Record<string, unknown>;
  const n = Number(id);
  const isRow = (text ?? billtitle) === textOf(n) && Number(length ?? billnumber) === n;
  return isRow ? n : JSON.stringify(row).slice(0, 200);
}

const textOf = (n: number) => `Row ${n} of "${ROWS}", <b>é</b>; 𝄞 ${n * n}`;

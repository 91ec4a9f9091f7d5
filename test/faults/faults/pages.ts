import { cursorOf, type NumberedPage, numbers, type Place, ROWS } from "../numberedRows.js";
import type { Fault, PageFault } from "./fault.js";

/** Whether a fault strikes on this page: it was requested by its regular cursor. */
const isAt = ({ sent }: NumberedPage, place: Place) => sent === cursorOf(place);

/** Changes only the page on which the fault strikes. */
const at =
  (change: (page: NumberedPage) => Partial<NumberedPage>): PageFault =>
  (page, place) =>
    isAt(page, place) ? { ...page, ...change(page) } : page;

const after = ({ offset }: NumberedPage, rows: number, mark = "") => `c${offset + rows}${mark}`;
const marked = (mark: string) => at((page) => ({ next: after(page, page.rows.length, mark) }));
const grown = ({ offset }: NumberedPage) => numbers(offset, Math.min(ROWS, offset + 7));

/** Well-formed responses that mislead. */
const MISLEADING: Readonly<Record<string, PageFault>> = {
  "a cursor that repeats": at(({ sent }) => ({ next: sent })),
  "a cursor that points backwards": at(() => ({ next: "c0" })),
  "a cursor that points far beyond the end": at(() => ({ next: "c9999" })),
  "a cursor that alternates": (page, place) => {
    if (isAt(page, place)) return { ...page, next: `${page.sent}.a` };
    if (page.sent.endsWith(".a")) return { ...page, next: page.sent.replace(".a", ".b") };
    return page.sent.endsWith(".b") ? { ...page, next: page.sent.replace(".b", ".a") } : page;
  },
  "a cursor that is null": at(() => ({ next: null })),
  "a cursor that is empty": at(() => ({ next: "" })),
  "a cursor that is missing": at(() => ({ next: undefined })),
  "a cursor that is 1 MB long": marked(`.${"x".repeat(1_000_000)}`),
  "a cursor that contains &, =, ?, # and %": marked(".&limit=1&page=9?#%00%zz+ "),
  "a cursor that contains quotes and brackets": marked(".\"'`<b>{}[]\\"),
  "a cursor that contains line breaks": marked(".\r\nx-api-key: no\r\n\r\nGET / HTTP/1.1"),
  "a cursor that contains NUL and other scripts": marked(".\u0000é𝄞\u202e"),
  "pages that overlap": at((page) => ({ next: after(page, page.rows.length - 2) })),
  "a page that is repeated": at((page) => ({ next: after(page, 0, ".again") })),
  "a page that shrinks": at((page) => ({ rows: page.rows.slice(0, 2), next: after(page, 2) })),
  "a page that grows": at((page) => ({ rows: grown(page), next: after(page, grown(page).length) })),
  "a page with a duplicate row": at((page) => ({ rows: page.rows.flatMap((n) => [n, n]) })),
  "pages of varying size": (page) => {
    const rows = page.rows.slice(0, 1 + (page.offset % 3));
    return { ...page, rows, next: after(page, rows.length) };
  },
  "a page without rows": at((page) => ({ rows: [], next: after(page, 0, ".later") })),
};

const neverEnds: PageFault = (page, place) => {
  const [, offset, count] = /^c(\d+)\.(\d+)$/.exec(page.sent) ?? [];
  if (count !== undefined) return { ...page, next: `c${offset}.${Number(count) + 1}` };
  return isAt(page, place) ? { ...page, next: `${page.sent}.1` } : page;
};

export const pageFaults: readonly Fault[] = [
  ...Object.entries(MISLEADING).map(([name, page]) => ({ name, page })),
  { name: "a cursor that never ends", code: "CURSOR_CIRCLES", page: neverEnds },
  {
    name: "a cursor that is in an unknown object",
    code: "UNKNOWN_CURSOR",
    page: at(() => ({ next: { row: 3 } })),
  },
];

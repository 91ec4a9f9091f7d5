import { isAt, type NumberedPage, numbers, type PageFault } from "../paging.js";
import type { Fault } from "./fault.js";

/** Changes only the page on which the fault strikes. */
const at =
  (change: (page: NumberedPage) => Partial<NumberedPage>): PageFault =>
  (page, place) =>
    isAt(page, place) ? { ...page, ...change(page) } : page;

const after = ({ offset }: NumberedPage, rows: number, mark = "") => `c${offset + rows}${mark}`;
const marked = (mark: string) => at((page) => ({ next: after(page, page.rows.length, mark) }));
const grown = ({ offset }: NumberedPage) => numbers(offset, Math.min(20, offset + 7));

/** Cursors that mislead, and what is wrong with each. */
const CURSORS: Readonly<Record<string, PageFault>> = {
  repeats: at(({ sent }) => ({ next: sent })),
  "points backwards": at(() => ({ next: "c0" })),
  "points far beyond the end": at(() => ({ next: "c9999" })),
  alternates: (page, place) => {
    if (isAt(page, place)) return { ...page, next: `${page.sent}.a` };
    if (page.sent.endsWith(".a")) return { ...page, next: page.sent.replace(".a", ".b") };
    return page.sent.endsWith(".b") ? { ...page, next: page.sent.replace(".b", ".a") } : page;
  },
  "never ends": (page, place) => {
    const [, offset, turn] = /^c(\d+)\.(\d+)$/.exec(page.sent) ?? [];
    if (turn !== undefined) return { ...page, next: `c${offset}.${Number(turn) + 1}` };
    return isAt(page, place) ? { ...page, next: `${page.sent}.1` } : page;
  },
  "is null": at(() => ({ next: null })),
  "is empty": at(() => ({ next: "" })),
  "is in an unknown object": at(() => ({ next: { row: 3 } })),
  "is missing": at(() => ({ next: undefined })),
  "is 1 MB long": marked(`.${"x".repeat(1_000_000)}`),
  "contains &, =, ?, # and %": marked(".&limit=1&page=9?#%00%zz+ "),
  "contains quotes and brackets": marked(".\"'`<b>{}[]\\"),
  "contains line breaks": marked(".\r\nx-api-key: no\r\n\r\nGET / HTTP/1.1"),
  "contains NUL and other scripts": marked(".\u0000é𝄞\u202e"),
};
const CODES: Readonly<Record<string, Pick<Fault, "code">>> = {
  "never ends": { code: "CURSOR_CIRCLES" },
  "is in an unknown object": { code: "UNKNOWN_CURSOR" },
};

const PAGES: Readonly<Record<string, PageFault>> = {
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

/** Well-formed responses that mislead. */
export const pageFaults: readonly Fault[] = [
  ...Object.entries(CURSORS).map(([name, page]) => ({
    family: "cursors",
    name: `a cursor that ${name}`,
    page,
    ...CODES[name],
  })),
  ...Object.entries(PAGES).map(([name, page]) => ({ family: "pages", name, page })),
];

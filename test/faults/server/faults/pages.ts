import { isAt, type NumberedPage, numbers, type PageFault } from "../paging.js";
import type { Fault } from "./fault.js";

/** Changes only the page on which the fault strikes. */
const at = (change: (page: NumberedPage) => Partial<NumberedPage>): PageFault => {
  return (page, place) => (isAt(page, place) ? { ...page, ...change(page) } : page);
};

const after = ({ offset }: NumberedPage, rows: number, mark = "") => `c${offset + rows}${mark}`;
const cursor = (name: string, page: PageFault): Fault => ({ family: "cursors", name: `a cursor that ${name}`, page });
const marked = (name: string, mark: string): Fault =>
  cursor(
    name,
    at((page) => ({ next: after(page, page.rows.length, mark) })),
  );
const pages = (name: string, page: PageFault): Fault => ({ family: "pages", name, page });

/** Well-formed responses that mislead. */
export const pageFaults: readonly Fault[] = [
  cursor(
    "repeats",
    at(({ sent }) => ({ next: sent })),
  ),
  cursor(
    "points backwards",
    at(() => ({ next: "c0" })),
  ),
  cursor(
    "points far beyond the end",
    at(() => ({ next: "c9999" })),
  ),
  cursor("alternates", (page, place) => {
    if (isAt(page, place)) return { ...page, next: `${page.sent}.a` };
    if (page.sent.endsWith(".a")) return { ...page, next: page.sent.replace(".a", ".b") };
    return page.sent.endsWith(".b") ? { ...page, next: page.sent.replace(".b", ".a") } : page;
  }),
  {
    ...cursor("never ends", (page, place) => {
      const [, offset, turn] = /^c(\d+)\.(\d+)$/.exec(page.sent) ?? [];
      if (turn !== undefined) return { ...page, next: `c${offset}.${Number(turn) + 1}` };
      return isAt(page, place) ? { ...page, next: `${page.sent}.1` } : page;
    }),
    code: "CURSOR_CIRCLES",
  },
  cursor(
    "is null",
    at(() => ({ next: null })),
  ),
  cursor(
    "is empty",
    at(() => ({ next: "" })),
  ),
  cursor(
    "is in an object",
    at(({ next }) => ({ next: { after: next } })),
  ),
  {
    ...cursor(
      "is in an unknown object",
      at(() => ({ next: { row: 3 } })),
    ),
    code: "UNKNOWN_CURSOR",
  },
  cursor(
    "is missing",
    at(() => ({ next: undefined })),
  ),
  marked("is 1 MB long", `.${"x".repeat(1_000_000)}`),
  marked("contains &, =, ?, # and %", ".&limit=1&page=9?#%00%zz+ "),
  marked("contains quotes and brackets", ".\"'`<b>{}[]\\"),
  marked("contains line breaks", ".\r\nx-api-key: no\r\n\r\nGET / HTTP/1.1"),
  marked("contains NUL and other scripts", ".\u0000é𝄞\u202e"),

  pages(
    "pages that overlap",
    at((page) => ({ next: after(page, page.rows.length - 2) })),
  ),
  pages(
    "a page that is repeated",
    at((page) => ({ next: after(page, 0, ".again") })),
  ),
  pages(
    "a page that shrinks",
    at((page) => ({ rows: page.rows.slice(0, 2), next: after(page, 2) })),
  ),
  pages(
    "a page that grows",
    at((page) => ({ rows: grown(page, 7), next: after(page, grown(page, 7).length) })),
  ),
  pages(
    "a page with a duplicate row",
    at((page) => ({ rows: page.rows.flatMap((n) => [n, n]) })),
  ),
  pages("pages of varying size", (page) => {
    const rows = page.rows.slice(0, 1 + (page.offset % 3));
    return { ...page, rows, next: after(page, rows.length) };
  }),
  pages(
    "a page without rows",
    at((page) => ({ rows: [], next: after(page, 0, ".later") })),
  ),
];

function grown({ offset }: NumberedPage, rows: number): number[] {
  return numbers(offset, Math.min(20, offset + rows));
}

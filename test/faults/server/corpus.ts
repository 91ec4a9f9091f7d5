/** Rows of a page where nobody asks for fewer. */
export const PAGE_ROWS = 4;
/** Rows there are: numbered from 1, in five full pages. */
export const ROWS = 20;
/** Where a fault strikes: the first, the middle and the last page. */
export const PLACES = [1, 3, 5] as const;
export type Place = (typeof PLACES)[number];

/** Every row says its number in several members, so that a row which is lost, doubled or mixed up shows. */
export function textOf(n: number): string {
  return `Row ${n} of "${ROWS}", <b>é</b>; 𝄞 ${n * n}`;
}

export function mentionRow(n: number): object {
  return {
    id: String(n),
    begintime: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString().replace(".000", ""),
    person: `Speaker ${7 + (n % 2)}`,
    personid: 7 + (n % 2),
    text: textOf(n),
    length: n,
    programid: 1000 + n,
    videoTypeId: 18,
  };
}

export function billRow(n: number): object {
  return { id: n, congress: 117, billnumber: String(n), billtitle: textOf(n), link: `https://example.org/${n}` };
}

export function personRow(id: number): object {
  return { id, name: `Speaker ${id}`, firstName: "ann", lastName: "example", title: "U.S. Senator", publicId: "" };
}

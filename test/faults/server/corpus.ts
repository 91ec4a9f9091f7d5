/** Default number of rows on a page. */
export const PAGE_ROWS = 4;
/** Number of rows: numbered from 1, on five full pages. */
export const ROWS = 20;
/** The pages on which a fault can strike: the first, the middle and the last one. */
export const PLACES = [1, 3, 5] as const;
export type Place = (typeof PLACES)[number];

/** Puts a row's number into several members, to reveal rows that are lost, duplicated or mixed up. */
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
  return { id, name: `Speaker ${id}`, firstName: "anné", lastName: "example", title: "U.S. Senator", publicId: "" };
}

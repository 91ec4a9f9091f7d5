/**
 * Members of a response that speak of the pages and not of the archive, in any letter case, with or without `_` and `-`.
 * A body of nothing else is an empty result.
 */
const METADATA = new Set([
  "cursor",
  "nextcursor",
  "prevcursor",
  "previouscursor",
  "continuation",
  "continuationtoken",
  "nextpagetoken",
  "next",
  "previous",
  "prev",
  "hasmore",
  "page",
  "pages",
  "pagesize",
  "perpage",
  "limit",
  "offset",
  "total",
  "totalcount",
  "totalpages",
  "totalresults",
  "count",
]);

const CURSORS = ["cursor", "continuation", "continuationtoken", "nextcursor"];

const bare = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

/** Whether a member is pagination metadata. */
export function isMetadata(name: string): boolean {
  return METADATA.has(bare(name));
}

/**
 * How surely a member is the cursor of the next page: 0 it is not, higher wins where a response has several
 * (`cursor` may then repeat the one that was sent, `nextcursor` cannot).
 */
export function cursorRank(name: string): number {
  return CURSORS.indexOf(bare(name)) + 1;
}

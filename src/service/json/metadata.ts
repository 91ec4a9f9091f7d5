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

/** Further members that may stand in a body without rows: they describe the answer or repeat the request. */
const REMARKS = new Set([
  "took",
  "elapsed",
  "elapsedms",
  "duration",
  "query",
  "q",
  "sort",
  "meta",
  "metadata",
  "links",
]);
const OUTCOMES = new Set(["status", "statuscode", "code", "success", "ok"]);
const SUCCESS = /^(?:200|0|ok|success|true)$/i;

/** A member name without case, `_` and `-`. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** Whether a member is pagination metadata. */
export function isMetadata(name: string): boolean {
  return METADATA.has(bareName(name));
}

/** Whether a member may stand in the body of an empty result: metadata, an empty value, or an outcome of success. */
export function isAllowedWithoutRows(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (METADATA.has(bare) || REMARKS.has(bare)) return true;
  if (OUTCOMES.has(bare)) return SUCCESS.test(String(value));
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/**
 * How surely a member is the cursor of the next page: 0 it is not, higher wins where a response has several
 * (`cursor` may then repeat the one that was sent, `nextcursor` cannot).
 */
export function cursorRank(name: string): number {
  return CURSORS.indexOf(bareName(name)) + 1;
}

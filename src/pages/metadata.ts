/**
 * Members of a response that describe pagination. They match in any letter case, with or without `_` and `-`. A body with
 * no other members is an empty result.
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

/** Further members allowed in a body without rows: they describe the response or repeat the request. */
const DESCRIPTIVE = new Set([
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

/** Whether the body of an empty result may have a member: metadata, an empty value, or a status of success. */
export function isAllowedWithoutRows(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (METADATA.has(bare) || DESCRIPTIVE.has(bare)) return true;
  if (OUTCOMES.has(bare)) return SUCCESS.test(String(value));
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/**
 * The rank of a member as the cursor of the next page; 0 if it is not a cursor. If a response has several, the highest rank
 * wins: `cursor` may repeat the one that was sent, `nextcursor` cannot.
 */
export function cursorRank(name: string): number {
  return CURSORS.indexOf(bareName(name)) + 1;
}

/** Members that report a failure in a response with status 200: error, Error_Message, errors, timed_out, … */
const ERRORS =
  /^(?:is|has)?(?:errors?|faults?|exceptions?|failures?)(?:messages?|msg|codes?|types?|info|details?|description|string)?$|^timedout$/;
const STATUS = /^(?:http)?(?:status|statuscode)$/;
const NO_ERROR = /^(?:|0|null|none|no|false|ok|success)$/i;

/** Whether a member of a body may report a failure, depending on its value. */
export function mayReportError(name: string): boolean {
  const bare = bareName(name);
  return ERRORS.test(bare) || STATUS.test(bare);
}

/** Whether a member of a body reports a failure: a non-empty error, or a status of 4xx or 5xx. */
export function reportsError(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (STATUS.test(bare)) return Number(value) >= 400 && Number(value) < 600;
  return ERRORS.test(bare) && !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return NO_ERROR.test(String(value));
}

import { isObject } from "../util/isObject.js";

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

/**
 * Members that hold the cursor of the next page, in ascending order of trust: `cursor` may repeat the one that was sent,
 * `nextcursor` cannot.
 */
const CURSORS = ["cursor", "continuation", "nextcursor"];
/** Members that may contain something like a cursor. */
const CONTAINERS = new Set("pagination paging pageinfo page meta metadata responsemetadata links cursors".split(" "));
/** Members that are named like the cursor of the next page, or say that there is one. */
const LEADS_ON =
  /^(?:next|after|hasmore|hasnext(?:page|cursor)?)$|^(?!prev|before|first|start|last|self|current|this|has).*(?:cursor|continuation|nextpage|nexttoken|scrollid)/;

/** Further members allowed in a body without rows: they describe the response or repeat the request. */
const DESCRIPTIVE = new Set(["took", "elapsed", "elapsedms", "duration", "query", "q", "sort", ...CONTAINERS]);
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
  if (METADATA.has(bare) || DESCRIPTIVE.has(bare) || LEADS_ON.test(bare)) return true;
  if (OUTCOMES.has(bare)) return SUCCESS.test(String(value));
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Whether a member is the cursor of the next page. */
export function isCursor(name: string): boolean {
  return CURSORS.includes(bareName(name));
}

/** Whether a member may concern the next page, depending on its value. */
export function mayLeadOn(name: string): boolean {
  const bare = bareName(name);
  return CONTAINERS.has(bare) || LEADS_ON.test(bare);
}

/** What the members of a response say about the next page. */
export class NextCursor {
  /** The cursor of the next page; undefined if there is none. */
  cursor: string | undefined;
  /** The name of a member that points to a next page in a form that is not known; of no interest if there is a cursor. */
  unknown: string | undefined;
  #rank = -1;

  /**
   * Adds a member that {@link mayLeadOn} accepts. Of several cursors the most trusted one counts.
   * @param spelled the value as the service spelled it: a number beyond 2^53 would change
   */
  add(name: string, value: unknown, spelled: string): void {
    const rank = CURSORS.indexOf(bareName(name));
    const isKnown = typeof value === "string" || typeof value === "number" || isNothing(value);
    if (rank < 0 || !isKnown) this.unknown ??= pointer(name, value);
    else if (rank >= this.#rank) {
      this.#rank = rank;
      if (isNothing(value)) this.cursor = undefined;
      else this.cursor = typeof value === "string" ? value : spelled;
    }
  }
}

/** The path of the first member that points to a next page; undefined if there is none. */
function pointer(name: string, value: unknown): string | undefined {
  if (isNothing(value)) return undefined;
  const bare = bareName(name);
  if (!CONTAINERS.has(bare)) return LEADS_ON.test(bare) ? name : undefined;
  const members = isObject(value) ? Object.entries(value) : [];
  const [found] = members.flatMap(([inner, each]) => pointer(inner, each) ?? []);
  return found && `${name}.${found}`;
}

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === "" || value === false;
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

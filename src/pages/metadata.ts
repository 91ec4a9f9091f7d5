import { isObject } from "../util/objects.js";

/**
 * Members of a response that describe pagination, in any case, with or without `_` and `-`. A body without other members is an empty
 * result.
 */
const METADATA = new Set(
  (
    "cursor nextcursor prevcursor previouscursor continuation continuationtoken nextpagetoken next previous prev hasmore " +
    "page pages pagesize perpage limit offset total totalcount totalpages totalresults count"
  ).split(" "),
);

/** Members with the cursor of the next page, the most trusted last: `cursor` may repeat the one that was sent, `nextcursor` cannot. */
const CURSORS = ["cursor", "continuation", "nextcursor"];
/** Members that may contain a cursor. */
const CONTAINERS = new Set("pagination paging pageinfo page meta metadata responsemetadata links cursors".split(" "));
/** Members named like the cursor of the next page, or that say that there is one. */
const NEXT_PAGE =
  /^(?:next|after|hasmore|hasnext(?:page|cursor)?)$|^(?!prev|before|first|start|last|self|current|this|has).*(?:cursor|continuation|nextpage|nexttoken|scrollid)/;

/** Other members allowed in a body without rows: they describe the response or repeat the request. */
const DESCRIPTIVE = new Set(["took", "elapsed", "elapsedms", "duration", "query", "q", "sort", ...CONTAINERS]);
const STATUS_MEMBERS = new Set(["status", "statuscode", "code", "success", "ok"]);
const SUCCESS = /^(?:200|0|ok|success|true)$/i;

/** A member name in lower case, without `_` and `-`. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

export function isMetadata(name: string): boolean {
  return METADATA.has(bareName(name));
}

/** Whether the body of an empty result may have this member: metadata, an empty value, or a success status. */
export function isAllowedWithoutRows(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (METADATA.has(bare) || DESCRIPTIVE.has(bare) || NEXT_PAGE.test(bare)) return true;
  if (STATUS_MEMBERS.has(bare)) return SUCCESS.test(String(value));
  return isEmpty(value);
}

export function isCursor(name: string): boolean {
  return CURSORS.includes(bareName(name));
}

/** Whether a member may point to a next page, depending on its value. */
export function mayPointToNext(name: string): boolean {
  const bare = bareName(name);
  return CONTAINERS.has(bare) || NEXT_PAGE.test(bare);
}

/** What the members of a response say about the next page. */
export class NextCursor {
  cursor: string | undefined;
  /** The path of a member that points to a next page in an unknown form; irrelevant if there is a cursor. */
  unknown: string | undefined;
  #rank = -1;

  /**
   * Adds a member that {@link mayPointToNext} accepts. The most trusted of several cursors wins.
   * @param text the value as sent: parsing would change a number beyond 2^53
   */
  add(name: string, value: unknown, text: string): void {
    const rank = CURSORS.indexOf(bareName(name));
    const isCursorForm = typeof value === "string" || typeof value === "number" || isEmptyOrFalse(value);
    if (rank < 0 || !isCursorForm) this.unknown ??= nextPageMember(name, value);
    else if (rank >= this.#rank) {
      this.#rank = rank;
      if (typeof value === "string") this.cursor = value || undefined;
      else this.cursor = isEmptyOrFalse(value) ? undefined : text;
    }
  }
}

/** The path of the first member that points to a next page; undefined if there is none. */
function nextPageMember(name: string, value: unknown): string | undefined {
  if (isEmptyOrFalse(value)) return undefined;
  const bare = bareName(name);
  if (!CONTAINERS.has(bare)) return NEXT_PAGE.test(bare) ? name : undefined;
  const members = isObject(value) ? Object.entries(value) : [];
  const [path] = members.flatMap(([inner, each]) => nextPageMember(inner, each) ?? []);
  return path && `${name}.${path}`;
}

function isEmptyOrFalse(value: unknown): boolean {
  return isEmpty(value) || value === false;
}

/** Whether a value is null or an empty string, list or object. */
function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === "";
}

/** Members that report a failure in a response with status 200: error, Error_Message, errors, timed_out, … */
const ERRORS =
  /^(?:is|has)?(?:errors?|faults?|exceptions?|failures?)(?:messages?|msg|codes?|types?|info|details?|description|string)?$|^timedout$/;
const STATUS = /^(?:http)?(?:status|statuscode)$/;
const NO_ERROR = /^(?:0|null|none|no|false|ok|success)$/i;

/** Whether a member may report a failure, depending on its value. */
export function mayReportError(name: string): boolean {
  const bare = bareName(name);
  return ERRORS.test(bare) || STATUS.test(bare);
}

/** Whether a member reports a failure: a non-empty error, or a 4xx or 5xx status. */
export function reportsError(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (STATUS.test(bare)) return Number(value) >= 400 && Number(value) < 600;
  return ERRORS.test(bare) && !isEmpty(value) && (typeof value === "object" || !NO_ERROR.test(String(value)));
}

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
const CURSORS = ["cursor", "endcursor", "next", "nextpagetoken", "continuation", "continuationtoken", "nextcursor"];
/** Further names of the same inside a member that is named like a cursor. */
const PARTS = ["after", "value", "token", "href"];
/** Members that may contain a cursor. */
const CONTAINERS = new Set([
  "pagination",
  "paging",
  "pageinfo",
  "page",
  "meta",
  "metadata",
  "responsemetadata",
  "links",
  "cursors",
]);
/** Members that say that there are more rows, but not where. */
const HAS_MORE = /^has(?:more|next|nextpage|nextcursor)$/;
const LIKE_CURSOR = /cursor|continuation|nextpage|nexttoken|scrollid/;
const OF_ANOTHER_PAGE = /^(?:prev|before|first|start|last|self|current|this|has)/;

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
  if (METADATA.has(bare) || DESCRIPTIVE.has(bare) || LIKE_CURSOR.test(bare)) return true;
  if (OUTCOMES.has(bare)) return SUCCESS.test(String(value));
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Whether a member is named like the cursor of the next page. */
export function isCursor(name: string): boolean {
  return CURSORS.includes(bareName(name));
}

/** What the members of a response say about the next page. */
export class NextCursor {
  /** The name of a member that points to a next page in a form that is not known; of no interest if there is a cursor. */
  unknown: string | undefined;
  /** The cursor of the next page; undefined if there is none. */
  cursor: string | undefined;
  #rank = -1;

  /** Whether a member may concern the next page, depending on its value. */
  static mayConcern(name: string): boolean {
    const bare = bareName(name);
    if (CURSORS.includes(bare) || CONTAINERS.has(bare) || HAS_MORE.test(bare)) return true;
    return LIKE_CURSOR.test(bare) && !OF_ANOTHER_PAGE.test(bare);
  }

  /**
   * Adds a member that {@link mayConcern} accepts. Of several cursors the most trusted one counts.
   *
   * @param spelled a number as the service spelled it: beyond 2^53 its value would change
   */
  add(name: string, value: unknown, spelled?: string): void {
    const bare = bareName(name);
    const rank = CURSORS.indexOf(bare);
    const isSpelled = typeof value === "number" && bare !== "next";
    if (rank >= 0) this.#addCursor(rank, bare, name, isSpelled ? (spelled ?? value) : value);
    else if (CONTAINERS.has(bare)) this.#addMembers(name, value);
    else if (!isNothing(value)) this.unknown ??= name;
  }

  #addCursor(rank: number, bare: string, name: string, value: unknown): void {
    const cursor = isNothing(value) ? undefined : cursorIn(bare, value);
    if (cursor === null) this.unknown ??= name;
    else if (rank >= this.#rank) {
      this.cursor = cursor;
      this.#rank = rank;
    }
  }

  /** A cursor inside another member counts if it is the only one, or more trusted. */
  #addMembers(name: string, value: unknown): void {
    if (!isObject(value)) return;
    const inside = new NextCursor();
    for (const [inner, each] of Object.entries(value)) {
      if (bareName(inner) === "after") inside.#addCursor(0, "after", inner, each);
      else if (NextCursor.mayConcern(inner)) inside.add(inner, each);
    }
    if (inside.unknown !== undefined) this.unknown ??= `${name}.${inside.unknown}`;
    if (inside.cursor === undefined || (this.cursor !== undefined && inside.#rank < this.#rank)) return;
    this.cursor = inside.cursor;
    this.#rank = inside.#rank;
  }
}

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === "" || value === false;
}

/** The cursor in the value of a member that is named like one; undefined if there is none, null if its form is not known. */
function cursorIn(bare: string, value: unknown): string | undefined | null {
  // The URL of the next page.
  const isLink = bare === "next" || bare === "href";
  if (typeof value === "string") return isLink && /\?|:\/\//.test(value) ? cursorOfUrl(value) : value;
  // `next: 2` is a page number.
  if (typeof value === "number") return isLink ? null : String(value);
  if (!isObject(value)) return null;
  const parts = Object.entries(value).filter(([name]) => [...CURSORS, ...PARTS].includes(bareName(name)));
  const [part] = parts.sort(([a], [b]) => CURSORS.indexOf(bareName(b)) - CURSORS.indexOf(bareName(a)));
  if (part === undefined) return null;
  return isNothing(part[1]) ? undefined : cursorIn(bareName(part[0]), part[1]);
}

function cursorOfUrl(text: string): string | null {
  return new URLSearchParams(/\?([^#]*)/.exec(text)?.[1]).get("cursor");
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

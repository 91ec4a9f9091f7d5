import { createHash } from "node:crypto";
import type { Asker } from "../http/asker.js";
import { isSearch } from "../operations/operations.js";
import { type ArchiveRequest, withParameter } from "../operations/request.js";
import type { Account } from "./account.js";
import { keepRows, openPage, type Page, type Redact } from "./page.js";
import type { RowShape } from "./rowShape.js";

/** What a walk over pages needs besides the request. */
export interface WalkOptions {
  readonly asker: Asker;
  readonly account: Account;
  readonly redact: Redact;
  /** What the rows of the next page are checked against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows; `undefined` for all. */
  readonly maxItems: number | undefined;
  /** Stop after this many pages, and take them as they are sent; `undefined` for all, without what comes twice. */
  readonly maxPages: number | undefined;
  /** Rows to ask for in one page, where the service lets one say and the request does not. */
  readonly pageSize: number;
  readonly signal: AbortSignal | undefined;
}

/** So many pages in a row that bring nothing new are taken for a cursor that goes in circles. */
const STALE_PAGES = 3;

/**
 * Follows the cursor from page to page, one request each. The walk ends on a page without rows, without a cursor, or
 * with a cursor that was already followed; no row comes twice. How it ended stands in the account.
 *
 * @throws ArchiveError whatever stopped it; the account then holds the cursor to go on from
 */
export async function* walk(request: ArchiveRequest, options: WalkOptions): AsyncGenerator<Page, void, undefined> {
  const { account, asker, maxItems, signal } = options;
  const followed = new Set<string>();
  const known = new Set<number | string>();
  const sized =
    options.maxPages === undefined &&
    request.operation === "mentions" &&
    !request.query.some(([name]) => name === "limit");
  let next = request;
  let stale = 0;
  if (maxItems === 0) account.end("capped", "maxItems");
  while (maxItems === undefined || account.rows < maxItems) {
    const left = maxItems === undefined ? options.pageSize : Math.min(options.pageSize, maxItems - account.rows);
    const ask = sized ? withParameter(next, "limit", String(left)) : next;
    let whole: Page;
    try {
      const reply = await asker.ask(ask.path, ask.query, { ...account.context, signal });
      account.answered(reply);
      whole = openPage(reply, ask, options.shape(), options.redact);
    } catch (error) {
      account.end("stopped", error instanceof Error ? ((error as { code?: string }).code ?? error.name) : "unknown");
      throw error;
    }
    account.trail.push(next.query.find(([name]) => name === "cursor")?.[1]);
    account.pages++;
    const rows = whole.ids.length;
    const page = options.maxPages === undefined ? onlyNew(whole, known) : whole;
    account.duplicates += rows - page.ids.length;
    const fits = maxItems === undefined ? page.ids.length : Math.min(page.ids.length, maxItems - account.rows);
    account.rows += fits;
    const ended =
      rows === 0 || !isSearch(request.operation) || whole.cursor === undefined || followed.has(whole.cursor);
    const cut = fits < page.ids.length;
    // A page that was cut is where to go on from: its rest is still to come.
    if (!cut) account.cursor = ended ? undefined : whole.cursor;
    stale = page.ids.length === 0 ? stale + 1 : 0;
    const turned = account.pages === options.maxPages;
    if (cut || (!ended && account.rows === maxItems)) account.end("capped", "maxItems");
    else if (ended) account.end("complete");
    else if (turned) account.end("capped", "one page");
    else if (stale === STALE_PAGES) account.end("stopped", "the cursor goes in circles");
    else account.end("stopped", "not finished");
    yield cut ? keepRows(page, [...Array(fits).keys()]) : page;
    if (ended || turned || stale === STALE_PAGES) return;
    followed.add(whole.cursor as string);
    next = withParameter(withoutPage(request), "cursor", whole.cursor as string);
  }
}

/** A page number counts from the beginning; together with a cursor it would skip pages twice. */
function withoutPage(request: ArchiveRequest): ArchiveRequest {
  return { ...request, query: request.query.filter(([name]) => name !== "page") };
}

/** The page without rows that were already there; rows without an id are compared whole. */
function onlyNew(page: Page, known: Set<number | string>): Page {
  const kept: number[] = [];
  for (let at = 0; at < page.ids.length; at++) {
    const id = page.ids[at] ?? digest(page, at);
    if (known.has(id)) continue;
    known.add(id);
    kept.push(at);
  }
  return kept.length === page.ids.length ? page : keepRows(page, kept);
}

function digest({ bytes, spans }: Page, at: number): string {
  return createHash("sha256")
    .update(bytes.subarray(spans[2 * at], spans[2 * at + 1]))
    .digest("base64");
}

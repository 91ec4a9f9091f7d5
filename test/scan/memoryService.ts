import { type ClientContext, OUTPUT_DEFAULTS } from "../../src/call/clientContext.js";
import type { FetchedResult } from "../../src/index.js";
import { PageSize } from "../../src/service/paging/page.js";

/**
 * A client context whose service is a list of JSON rows in memory, for thousands of small downloads. It serves mentions by cursor and
 * page number like the service, at most `most` per page.
 */
export function memoryService(rows: readonly string[], most: number) {
  let last: FetchedResult | undefined;
  const request: ClientContext["requester"]["request"] = async (_path, query, context) => {
    context?.onRequest?.();
    const { cursor, page = "1", limit = "20" } = Object.fromEntries(query);
    const size = Math.min(Number(limit), most);
    const offset = cursor === undefined ? (Number(page) - 1) * size : Number(cursor.slice(1));
    const part = rows.slice(offset, offset + size);
    const next = `"cursor":"c${Math.min(rows.length, offset + size)}"`;
    const body = Buffer.from(`{${next}${part.length === 0 ? "" : `,"mentions":[${part.join(",")}]`}}`);
    const now = new Date(0);
    return { status: 200, body, headers: {}, requests: 1, retries: 0, sentAt: now, receivedAt: now };
  };
  const client: ClientContext = {
    requester: { request },
    output: { ...OUTPUT_DEFAULTS, pageSize: new PageSize(100), progress: false, host: {} },
    concurrency: 3,
    redact: (text) => text,
    remember: (fetched) => {
      last = fetched;
    },
    baseUrl: "http://127.0.0.1:9",
    source: "rows in memory",
    snapshot: null,
  };
  return { client, lastResult: () => last };
}

import type { IncomingMessage } from "node:http";
import type { QuotaOptions } from "../options.js";
import type { Archive } from "./archive.js";
import { badRequest, HttpError } from "./request.js";

interface ServerContext {
  readonly open: () => Pick<Archive, "get">;
  readonly apiKey: string;
  readonly count: (() => number) | undefined;
}

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Handles one request. Checks the key first, then quota, method, path and parameters. Never throws. */
export function respond(
  { open, apiKey, count }: ServerContext,
  { method, url = "", headers: { "x-api-key": key } }: Request,
) {
  try {
    if (!key) throw new HttpError(401, "an API key is required in the x-api-key header");
    if (key !== apiKey) throw new HttpError(403, "the API key is not valid");
    const wait = String(count?.() ?? 0);
    if (wait !== "0") throw new HttpError(429, `the request quota is used up; wait ${wait} s`, { "retry-after": wait });
    if (method !== "GET") throw new HttpError(405, "only GET is allowed", { allow: "GET" });
    const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(url) ?? [];
    return { status: 200, headers: {}, body: JSON.stringify(open().get(path, query)) };
  } catch (error) {
    const failure = error instanceof URIError ? badRequest("the path is not valid percent-encoding") : error;
    const { status, headers, message } =
      failure instanceof HttpError ? failure : new HttpError(500, "Internal server error");
    return { status, headers, body: JSON.stringify({ message }) };
  }
}

/**
 * Counts requests per window of fixed length, which begins with its first request. Returns 0 for a request within the quota, otherwise
 * the seconds to wait, an integer from 1.
 */
export function requestCounter({ requests, seconds }: QuotaOptions): () => number {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let used = 0;
  return () => {
    const now = performance.now();
    if (now >= windowEnd) [windowEnd, used] = [now + seconds * 1000, 0];
    used++;
    return used <= requests ? 0 : Math.max(1, Math.ceil((windowEnd - now) / 1000));
  };
}

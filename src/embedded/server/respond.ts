import { randomUUID } from "node:crypto";
import type { QuotaOptions } from "../options.js";
import { HttpError } from "./request.js";

/** What the archive reads of a request: `target` is path and query string, `key` the header `x-api-key`. */
interface ArchiveRequest {
  readonly method: string;
  readonly target: string;
  readonly key: string | undefined;
}

interface ServerContext {
  readonly archive: { get(path: string, query: string): unknown };
  readonly apiKey: string;
  readonly quota: Quota | undefined;
}

/** Handles one request. Checks the key first, then quota, method, path and parameters. Never throws. */
export function respond({ archive, apiKey, quota }: ServerContext, { method, target, key }: ArchiveRequest) {
  try {
    if (key === undefined || key === "") throw new HttpError(401, "an API key is required in the x-api-key header");
    if (key !== apiKey) throw new HttpError(403, "the API key is not valid");
    const wait = quota?.take() ?? 0;
    if (wait > 0 && quota?.options.answer === "limit-exceeded") throw limitExceeded();
    if (wait > 0) {
      throw new HttpError(429, `the request quota is used up; wait ${wait} s`, { "retry-after": String(wait) });
    }
    if (method !== "GET") throw new HttpError(405, "only GET is allowed", { allow: "GET" });
    const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(target) ?? [];
    return { status: 200, headers: {}, body: JSON.stringify(archive.get(path, query)) };
  } catch (error) {
    const { status, headers, message } =
      error instanceof HttpError ? error : new HttpError(500, "Internal server error");
    return { status, headers, body: JSON.stringify({ message }) };
  }
}

/** As AWS API Gateway refuses requests beyond the quota of a key. */
function limitExceeded(): HttpError {
  const headers = { "x-amzn-errortype": "LimitExceededException", "x-amzn-requestid": randomUUID() };
  return new HttpError(429, "Limit Exceeded", headers);
}

/** Limits requests per window of fixed length. A window begins with its first request. */
export class Quota {
  #windowEnd = Number.NEGATIVE_INFINITY;
  #used = 0;

  constructor(readonly options: Required<QuotaOptions>) {}

  /** Counts one request. Returns 0 if it is within the quota, otherwise the seconds to wait, an integer from 1. */
  take(): number {
    const { requests, seconds } = this.options;
    const now = performance.now();
    if (now >= this.#windowEnd) [this.#windowEnd, this.#used] = [now + seconds * 1000, 0];
    this.#used++;
    return this.#used <= requests ? 0 : Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }
}

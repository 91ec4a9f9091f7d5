import type { QuotaOptions } from "../options.js";
import type { Archive } from "./operations.js";
import { HttpError } from "./request.js";

/** The parts of a request that the archive reads. */
export interface ArchiveRequest {
  method: string;
  /** Path and query string. */
  target: string;
  /** Value of the `x-api-key` header. */
  key: string | undefined;
}

/** A response, ready to send. */
export interface ArchiveResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** What {@link respond} needs besides the request. */
export interface ServerContext {
  archive: Pick<Archive, "get">;
  apiKey: string;
  quota: Quota | undefined;
}

/** Handles one request. Checks the key first, then quota, method, path and parameters. Never throws. */
export function respond(context: ServerContext, request: ArchiveRequest): ArchiveResponse {
  try {
    authorize(context, request);
    const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(request.target) ?? [];
    return { status: 200, headers: {}, body: JSON.stringify(context.archive.get(path, query)) };
  } catch (error) {
    const failure = error instanceof HttpError ? error : new HttpError(500, "Internal server error");
    return { status: failure.status, headers: failure.headers, body: JSON.stringify({ message: failure.message }) };
  }
}

function authorize({ apiKey, quota }: ServerContext, { method, key }: ArchiveRequest): void {
  if (key === undefined || key === "") throw new HttpError(401, "an API key is required in the x-api-key header");
  if (key !== apiKey) throw new HttpError(403, "the API key is not valid");
  const wait = quota?.take() ?? 0;
  if (wait > 0) {
    throw new HttpError(429, `the request quota is used up; wait ${wait} s`, { "retry-after": String(wait) });
  }
  if (method !== "GET") throw new HttpError(405, "only GET is allowed", { allow: "GET" });
}

/** Limits requests per window of fixed length. A window begins with its first request. */
export class Quota {
  #windowEnd = Number.NEGATIVE_INFINITY;
  #used = 0;

  constructor(readonly options: QuotaOptions) {}

  /** Counts one request. Returns 0 if it is within the quota, otherwise the seconds to wait, an integer from 1. */
  take(): number {
    const { requests, seconds } = this.options;
    const now = performance.now();
    if (now >= this.#windowEnd) [this.#windowEnd, this.#used] = [now + seconds * 1000, 0];
    this.#used++;
    return this.#used <= requests ? 0 : Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }
}

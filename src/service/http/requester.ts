import { setImmediate } from "node:timers/promises";
import { ArchiveError, abortedError } from "../../errors/index.js";

export interface Cost {
  /** HTTP requests sent for it, retries included. */
  readonly requests: number;
  /** Failed attempts before the one that succeeded. */
  readonly retries: number;
}

/** A complete response with a status of 2xx. The body is unparsed. */
export interface ServiceResponse extends Cost {
  /** HTTP status, 200 to 299. */
  status: number;
  /** The decoded body: UTF-8, without the key. */
  body: Buffer;
  /** Response headers: names in lower case, several values joined with `", "`, without the key. */
  headers: Record<string, string>;
  /** When the last attempt was sent. */
  sentAt: Date;
  /** When the last byte of the body arrived. */
  receivedAt: Date;
  /** Requests per second of the client, once it has learned a rate limit. */
  pace?: number | undefined;
  /** It comes from a cache: no request was sent. */
  cached?: true;
}

/** A response without its body, as files record it. */
export interface ResponseFacts extends Readonly<Pick<ServiceResponse, keyof Cost | "status">> {
  /** The request: path and query. */
  readonly get: string;
  /** ISO 8601, UTC. */
  readonly sentAt: string;
  readonly receivedAt: string;
  /** Size of the body. */
  readonly bytes: number;
}

/** One pagination over the pages of a search. A store of responses serves it from a single run of the search. */
export interface PaginationContext {
  /** Rows to fetch: 0 for a single page, `Infinity` for all. */
  readonly rows: number;
  /** Called when the pagination has ended without an error, with the number of rows; `Infinity` if there are no more. */
  onEnd?: ((rows: number) => void) | undefined;
}

export interface RequestContext {
  /** Stops the request while it is queued, sent, read, or waiting for a retry. */
  signal?: AbortSignal | undefined;
  /** Limits the HTTP requests that may be sent; beyond it the request fails with `OUT_OF_REQUESTS`. */
  budget?: RequestBudget | undefined;
  /** The pagination that the request belongs to; none for a lookup. */
  pagination?: PaginationContext | undefined;
  /** Retry only after a 429. */
  isProbe?: boolean | undefined;
  /** Called after each failed attempt that is followed by another, with the seconds until then. */
  onRetry?: ((delay: number) => void) | undefined;
  /** Called before each HTTP request is sent, so that failed ones are counted too. */
  onRequest?: (() => void) | undefined;
  /** Called instead of `onRequest` and `onRetry` for a replayed response, with its cost when it was recorded. */
  onReplay?: ((cost: Cost) => void) | undefined;
}

/** Parameters of a request by name, in order. */
export type Query = ReadonlyArray<readonly [string, string]>;

/** In a response of a `session`, the HTTP requests that it took, this one included: a worker of a fleet repeats those refused with 429. */
export const REQUESTS_HEADER = "x-archive-frames-requests";

/** Sends requests to the service. `Transport` is the real one; replaying, counting and offline requesters wrap it. */
export interface Requester {
  request(path: string, query: Query, context?: RequestContext): Promise<ServiceResponse>;
}

/** A requester of a client, which the client closes. */
export interface ClosableRequester extends Requester {
  /** Fails every pending request with `CLIENT_CLOSED`. Idempotent. */
  close(): Promise<void>;
}

export function clientClosedError(path: string): ArchiveError {
  const hint = "Create a new client, and close it after the last call.";
  return new ArchiveError(`GET ${path} failed: the client is closed.`, { code: "CLIENT_CLOSED", hint });
}

/** Counts down the HTTP requests that a call may still send, retries included. Responses of a cache or an unfinished download are free. */
export class RequestBudget {
  #left: number;

  constructor(readonly maxRequests: number) {
    this.#left = maxRequests;
  }

  get isUsedUp(): boolean {
    return this.#left <= 0;
  }

  /** Takes `count` requests and returns true; takes none and returns false if fewer are left. */
  take(count = 1): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }

  usedUpError(path: string, cause?: unknown): ArchiveError {
    const hint = "Raise maxRequests: retries count as well.";
    const what = `GET ${path} was not sent: maxRequests: ${this.maxRequests} is used up.`;
    return new ArchiveError(what, { code: "OUT_OF_REQUESTS", hint, cause });
  }
}

/** Replays a recorded response as if the service had sent it, at the cost it had when it was recorded. */
export async function replay<T>(cost: Cost, context: RequestContext, read: () => T | Promise<T>): Promise<T> {
  context.onReplay?.(cost);
  // Without a network to wait for, yield to the event loop, so that signals can fire.
  await setImmediate();
  if (context.signal?.aborted) throw abortedError(undefined, context.signal.reason);
  return read();
}

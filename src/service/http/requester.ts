import type { ErrorCode } from "../../errors/index.js";
import type { RequestBudget } from "./requestBudget.js";

/** What an answer has cost. */
export interface Cost {
  /** Requests sent for it, retries and followed redirects included. */
  readonly requests: number;
  /** Attempts that failed before it. */
  readonly retries: number;
}

/** A complete answer of the service with a status of 2xx. The body is bytes: nobody has parsed it. */
export interface ServiceResponse extends Cost {
  /** HTTP status, 200 to 299. */
  status: number;
  /** The body, decoded from its content encoding; text in another charset is UTF-8 by now, and the key is taken out. */
  body: Buffer;
  /** Response headers: names in lower case, several values joined with `", "`, the key taken out. */
  headers: Record<string, string>;
  /** When the request that was answered was sent. */
  sentAt: Date;
  /** When the last byte of the body had arrived. */
  receivedAt: Date;
  /** How often the key was taken out of the body; absent where it was not in it. */
  redactions?: number;
  /** Requests per second that the client keeps to because the service has refused more, where this one waited for that. */
  pace?: number;
  /** It comes from a cache, and no request was sent for it now. */
  cached?: true;
}

/** Tells that an attempt has failed and that another follows. */
export interface RetryEvent {
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  /** Seconds until the next attempt. */
  readonly delay: number;
  /** Why it failed. */
  readonly reason: ErrorCode;
  /** Seconds of the answer's Retry-After, if it had a readable one. */
  readonly retryAfter?: number;
}

/** One walk over the pages of a search. Whoever stores answers gives a walk those of a single retrieval of the search. */
export interface WalkContext {
  /** Rows that the walk wants: 0 for a single page, `Infinity` for all. */
  readonly rows: number;
  /** Called when the walk has ended, unless an error stopped it: with the rows that came, `Infinity` where they are all there are. */
  onEnd?: ((rows: number) => void) | undefined;
}

/** What the caller of an {@link Requester} may add to one ask. */
export interface RequestContext {
  /** Stops the ask, wherever it is: queued, waiting for a retry, or reading. */
  signal?: AbortSignal | undefined;
  /** Every request takes one from it before it is sent; without one left the ask fails with `OUT_OF_REQUESTS`. */
  budget?: RequestBudget | undefined;
  /** The walk that the request belongs to; none for a look-up. */
  walk?: WalkContext | undefined;
  /** Called after each failed attempt that is followed by another. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called for each request just before it is sent, so that failed asks can be counted too. */
  onRequest?: (() => void) | undefined;
  /** Called in place of both where the answer was kept: with what it has cost when it came. */
  onReplay?: ((cost: Cost) => void) | undefined;
}

/**
 * The seam between the operations and the wire. `Transport` is the real one; replay, counting and offline are
 * wrappers with the same single member.
 */
export interface Requester {
  /**
   * Asks the service once.
   *
   * @param path path below the base URL, segments already percent-encoded: `"/people/6153"`
   * @param query names and values of the query, in order, not encoded
   * @throws {@link ArchiveError} and its subclasses, nothing else
   */
  request(
    path: string,
    query: ReadonlyArray<readonly [string, string]>,
    context?: RequestContext,
  ): Promise<ServiceResponse>;
}

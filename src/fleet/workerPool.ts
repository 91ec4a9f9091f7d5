import type { Dispatcher } from "undici";
import type { ResolvedOptions } from "../service/http/options.js";
import type { RequestContext, ServiceResponse } from "../service/http/requester.js";
import { Transport } from "../service/http/transport.js";
import { CallSignal } from "../util/callSignal.js";
import { type Clock, systemClock } from "../util/clock.js";
import { REDACTIONS } from "./queueDispatcher.js";

/** Seconds. A page may wait for a worker as long as it takes: the workers limit what an attempt takes. */
const NO_TIMEOUT = 2_147_483;
/** Pages beyond the concurrency of the workers, as a fraction of it: one is ready when a worker has finished another. */
const SPARE = 0.25;
/** Milliseconds without a worker after which its pages go to others. Workers reconnect after a restart of Redis. */
const LOST_AFTER = 10_000;

/** The queue of a pool. */
export interface PoolQueue {
  /** How many requests the connected workers send in parallel. */
  concurrency(): Promise<number>;
  /** Whether there may be a job for a page. */
  mayHave(get: string): boolean;
  /** Removes the job of a page, which goes to another pool. */
  forget(get: string): void;
}

/** What a pool needs. */
export interface WorkerPoolOptions {
  readonly keyId: string;
  readonly queue: PoolQueue;
  /** Gives requests to the queue. */
  readonly session: Dispatcher;
}

/**
 * The workers with one key: their queue, and a transport that learns their rate. It retries, counts and fails like the transport of a
 * single process; only the wire is a queue.
 */
export class WorkerPool {
  /** Requests that it has, sent or waiting for the rate. */
  pending = 0;
  /** Requests that the workers send in parallel. */
  concurrency = 0;
  /** Until when its key is paused, because the service refuses it: monotonic milliseconds. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #transport: Transport;
  /** Aborts when its requests go to other pools. */
  #gone = new AbortController();
  #emptySince: number | undefined;

  constructor(
    settings: ResolvedOptions,
    readonly options: WorkerPoolOptions,
    readonly clock: Clock = systemClock,
  ) {
    this.#transport = new Transport({ ...settings, session: options.session, timeout: NO_TIMEOUT }, clock);
  }

  /** How much of it is free, from 0 to 1. */
  get free(): number {
    const capacity = this.concurrency === 0 ? 0 : this.concurrency + Math.max(1, Math.floor(SPARE * this.concurrency));
    return Math.max(0, 1 - this.pending / capacity) || 0;
  }

  /**
   * Sends a request.
   *
   * @returns undefined if it has to go to another pool: see {@link abandon}
   */
  async request(
    path: string,
    query: ReadonlyArray<readonly [string, string]>,
    context: RequestContext,
  ): Promise<ServiceResponse | undefined> {
    const gone = this.#gone.signal;
    const stop = new CallSignal([context.signal, gone]);
    try {
      const response = await this.#transport.request(path, query, { ...context, signal: stop.signal });
      const { [REDACTIONS]: redactions, ...headers } = response.headers;
      return { ...response, headers, ...(redactions !== undefined && { redactions: Number(redactions) }) };
    } catch (error) {
      if (gone.aborted && context.signal?.aborted !== true) return undefined;
      throw error;
    } finally {
      stop.release();
    }
  }

  /** Updates the concurrency: that of the connected workers. */
  async look(): Promise<void> {
    const concurrency = await this.options.queue.concurrency();
    const now = this.clock.ticks();
    if (concurrency > 0) this.#emptySince = undefined;
    else this.#emptySince ??= now;
    if (concurrency > 0 || now - (this.#emptySince as number) >= LOST_AFTER) this.concurrency = concurrency;
  }

  /** Gives its requests to other pools: its workers are gone, or its key is paused. */
  abandon(): void {
    this.#gone.abort();
    this.#gone = new AbortController();
  }

  /** Fails its requests. */
  close(): Promise<void> {
    return this.#transport.close();
  }
}

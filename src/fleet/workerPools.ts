import { copyCause } from "../errors/causes.js";
import { AbortedError, RateLimitError } from "../errors/index.js";
import type { ResolvedOptions } from "../service/http/options.js";
import {
  type ClosableRequester,
  clientClosedError,
  type RequestContext,
  type ServiceResponse,
} from "../service/http/requester.js";
import { requestUrl } from "../service/http/url.js";
import { CallSignal } from "../util/callSignal.js";
import { type Clock, systemClock } from "../util/clock.js";
import { warn } from "./connection.js";
import { pageOf } from "./pageJob.js";
import type { WorkerPool } from "./workerPool.js";

/** Milliseconds between two looks for workers; the same until the first one is there. */
const LOOK_EVERY = 1000;
const LOOK_FOR_FIRST_EVERY = 100;
/** Milliseconds that requests may wait before somebody is told that there is no worker. */
const NO_WORKER = 10_000;
/** Seconds that a key is paused after the service has refused its requests for good, without a Retry-After. */
const KEY_PAUSE = 60;

/** Where requests meet workers. */
export interface WorkerPoolsOptions {
  /** Opens the queue, once. */
  readonly open: () => Promise<void>;
  /** Finds the pools: one for each key that a worker has announced. The same ones every time. */
  readonly find: () => Promise<readonly WorkerPool[]>;
  /** What to type where no worker is. */
  readonly start: string;
}

interface Waiter {
  readonly get: string;
  readonly admit: (pool: WorkerPool) => void;
}

/**
 * Gives each request of a coordinator to the workers with the most capacity left, and no more at a time than they can send. So every key
 * is used as fast as its quota allows, and the requests of a key that is used up or rejected go to the others.
 */
export class WorkerPools implements ClosableRequester {
  #pools: readonly WorkerPool[] = [];
  readonly #waiting = new Set<Waiter>();
  readonly #stop = new AbortController();
  #opening: Promise<void> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #aloneSince: number | undefined;
  #hasWarned = false;

  constructor(
    readonly settings: ResolvedOptions,
    readonly options: WorkerPoolsOptions,
    readonly clock: Clock = systemClock,
  ) {}

  /** @throws what a transport throws; FileError `TARGET_BUSY`; ArchiveError `QUEUE_FAILED` */
  async request(
    path: string,
    query: ReadonlyArray<readonly [string, string]>,
    context: RequestContext = {},
  ): Promise<ServiceResponse> {
    const { baseUrl, key, signal } = this.settings;
    const { pathname, search } = requestUrl(baseUrl, path, query, key);
    const get = pageOf(pathname + search, baseUrl) as string;
    const shown = key.redact(path);
    if (this.#stop.signal.aborted) throw clientClosedError(shown);
    this.#opening ??= this.#open();
    await this.#opening;
    const stop = new CallSignal([signal, context.signal, this.#stop.signal], (reason) =>
      this.#stop.signal.aborted
        ? clientClosedError(shown)
        : new AbortedError(`GET ${shown} was stopped by its signal.`, copyCause(reason, key.redact)),
    );
    const failed = new Set<WorkerPool>();
    try {
      for (;;) {
        if (context.budget?.isUsedUp) throw context.budget.usedUpError(shown);
        const pool = await this.#enter(get, stop.signal);
        try {
          const response = await pool.request(path, query, context);
          if (response !== undefined) return response;
        } catch (error) {
          // Each key is tried once.
          if (failed.has(pool) || !this.#hasOther(pool, error)) throw error;
          failed.add(pool);
        } finally {
          pool.pending--;
          this.#admit();
        }
        pool.options.queue.forget(get);
      }
    } finally {
      stop.release();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#pools.map((pool) => pool.close()));
    await this.#looking;
  }

  async #open(): Promise<void> {
    await this.options.open();
    await this.#look();
    this.#looking = this.#keepLooking();
  }

  /** Waits for capacity. */
  #enter(get: string, signal: AbortSignal): Promise<WorkerPool> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        get,
        admit: (pool) => {
          this.#waiting.delete(waiter);
          signal.removeEventListener("abort", leave);
          pool.pending++;
          resolve(pool);
        },
      };
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiter);
      this.#admit();
    });
  }

  /** Gives waiting requests to pools with capacity, in order. */
  #admit(): void {
    for (const waiter of this.#waiting) {
      const pool = this.#poolFor(waiter.get);
      if (pool === undefined) return;
      waiter.admit(pool);
    }
  }

  /** The pool for a page: one that may have its response already, or else the one with the most capacity left. */
  #poolFor(get: string): WorkerPool | undefined {
    const now = this.clock.ticks();
    const present = this.#pools.filter(({ concurrency }) => concurrency > 0);
    const accepted = present.filter(({ pausedUntil }) => pausedUntil <= now);
    // If the service refuses every key, its answer is what the caller gets.
    const usable = accepted.length > 0 ? accepted : present;
    const having = this.#pools.find(({ options }) => options.queue.mayHave(get));
    if (having !== undefined && (usable.length === 0 || usable.includes(having))) return having;
    const [freest] = usable.filter(({ free }) => free > 0).sort((a, b) => b.free - a.free);
    return freest;
  }

  /** Whether an error is about a key, which is paused then, and another one can send the request. */
  #hasOther(pool: WorkerPool, error: unknown): boolean {
    const { code } = error as { readonly code?: unknown };
    if (code !== "RATE_LIMITED" && code !== "AUTHENTICATION") return false;
    const now = this.clock.ticks();
    const seconds = error instanceof RateLimitError ? (error.retryAfter ?? KEY_PAUSE) : Number.POSITIVE_INFINITY;
    const isNews = pool.pausedUntil <= now;
    pool.pausedUntil = now + 1000 * seconds;
    const others = this.#pools.filter(({ concurrency, pausedUntil }) => concurrency > 0 && pausedUntil <= now);
    if (others.length === 0) return false;
    if (isNews) {
      warn(pauseText(pool.options.keyId, seconds), "KEY_PAUSED");
      // A 429 has paused its queue.
      pool.abandon();
    }
    return true;
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const isAlone = this.#pools.every(({ concurrency }) => concurrency === 0);
      await this.clock.sleep(isAlone ? LOOK_FOR_FIRST_EVERY : LOOK_EVERY, signal).catch(() => undefined);
      // Redis is away: later.
      if (!signal.aborted) await this.#look().catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    this.#pools = await this.options.find();
    await Promise.all(this.#pools.map((pool) => pool.look()));
    const hasWorkers = this.#pools.some(({ concurrency }) => concurrency > 0);
    if (hasWorkers) for (const pool of this.#pools) if (pool.concurrency === 0 && pool.pending > 0) pool.abandon();
    this.#admit();
    this.#warnOfNoWorker(hasWorkers, this.clock.ticks());
  }

  /** Once: a build without workers would wait forever. */
  #warnOfNoWorker(hasWorkers: boolean, now: number): void {
    const waits = this.#waiting.size > 0 || this.#pools.some(({ pending }) => pending > 0);
    if (hasWorkers || !waits) this.#aloneSince = undefined;
    else this.#aloneSince ??= now;
    if (this.#hasWarned || this.#aloneSince === undefined || now - this.#aloneSince < NO_WORKER) return;
    this.#hasWarned = true;
    warn(`No worker takes the requests of this build. ${this.options.start}`, "NO_WORKER");
  }
}

function pauseText(keyId: string, seconds: number): string {
  return seconds === Number.POSITIVE_INFINITY
    ? `The service rejects the key of the workers "${keyId}". The others go on.`
    : `The quota of the key of the workers "${keyId}" is used up for ${Math.ceil(seconds)} s. The others go on.`;
}

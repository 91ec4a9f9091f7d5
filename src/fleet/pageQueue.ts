import { setTimeout as sleep } from "node:timers/promises";
import type { Queue, QueueEvents } from "bullmq";
import type { Redis } from "ioredis";
import { connectionOptions, queueError } from "./connection.js";
import { jobId, type PageJob } from "./pageJob.js";
import { checkResult, isFailed, type PageResult, parseFailedResult } from "./pageResult.js";
import type { QueueAddress } from "./queueAddress.js";
import type { QueueLibrary } from "./queueLibrary.js";
import { pagesOf, prefixOf } from "./queueNames.js";
import { concurrencyOf } from "./workerName.js";

/** Milliseconds between two looks at jobs whose events may have been lost. */
const LOOK_EVERY = 1000;
/** Milliseconds until the job of a received page is removed: by then its page is in a journal. */
const REMOVE_AFTER = 200;
/** Milliseconds. A result that a killed coordinator has left is used if it is younger, as a journal is resumed. */
const MAX_AGE = 24 * 60 * 60 * 1000;
/** Milliseconds that a full Redis is waited for, and between two tries. */
const MAX_FULL = 30_000;
const FULL_EVERY = 500;
/** More jobs per second than any service accepts. A limit is needed for the pauses of BullMQ's limiter to work. */
const NO_LIMIT = { max: 1_000_000, duration: 1000 };

/** A page that is waited for. */
interface Waiting {
  readonly get: string;
  readonly settle: (result: PageResult) => void;
  readonly fail: (error: unknown) => void;
  readonly result: Promise<PageResult>;
  since: number;
}

/** What a page queue needs. */
export interface PageQueueOptions {
  readonly address: QueueAddress;
  readonly redis: Redis;
  readonly library: QueueLibrary;
  readonly name: string;
  /** Which key the workers have. */
  readonly keyId: string;
}

/**
 * The coordinator's end of the queue of a key: one page is one job, named after its request. A job exists until its page was received,
 * so that a coordinator that is killed finds it again. One that fails for good stays.
 */
export class PageQueue {
  /** Responses, 429s and other failed attempts so far. */
  readonly counts = { received: 0, refused: 0, failed: 0 };
  readonly #queue: Queue<PageJob>;
  readonly #events: QueueEvents;
  readonly #waiting = new Map<string, Waiting>();
  /** Jobs that may have ended: those that a killed coordinator has left, and those that failed. */
  readonly #ended = new Set<string>();
  /** Jobs that are about to be removed. */
  readonly #removing = new Map<string, Promise<void>>();
  /** Jobs whose lost attempt was reported. */
  readonly #reported = new Set<string>();
  readonly #stop = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  private constructor(readonly options: PageQueueOptions) {
    const { library, redis, address, name, keyId } = options;
    const prefix = prefixOf(name);
    this.#queue = new library.Queue(pagesOf(keyId), { connection: redis, prefix });
    this.#events = new library.QueueEvents(pagesOf(keyId), {
      connection: connectionOptions(address),
      prefix,
      blockingTimeout: 2000,
      autorun: false,
    });
    // Connections are restored by themselves, and failed commands reject.
    this.#queue.on("error", () => undefined);
    this.#events.on("error", () => undefined);
    this.#events.on("completed", ({ jobId: id, returnvalue }) => this.#settle(id, checkResult(returnvalue)));
    this.#events.on("failed", ({ jobId: id, failedReason }) => this.#settle(id, parseFailedResult(failedReason)));
  }

  /** @throws ArchiveError `QUEUE_FAILED` */
  static async open(options: PageQueueOptions): Promise<PageQueue> {
    const pages = new PageQueue(options);
    try {
      // A coordinator that was killed while it removed the queue has left it paused.
      await pages.#queue.resume();
      await pages.#queue.setGlobalRateLimit(NO_LIMIT.max, NO_LIMIT.duration);
      for (const id of await pages.#queue.getRanges(["completed", "failed", "active", "wait", "delayed"], 0, -1))
        pages.#ended.add(id);
      await pages.#events.waitUntilReady();
      pages.#looking = Promise.all([pages.#listen(), pages.#look()]).then(() => undefined);
      return pages;
    } catch (error) {
      throw queueError(options.address, error);
    }
  }

  /** How many requests the connected workers send in parallel. */
  async concurrency(): Promise<number> {
    const workers = await this.#queue.getWorkers().catch((error: Error) => {
      // Not everybody may list the connections of a server.
      if (/NOPERM|unknown/i.test(error.message)) return [{ rawname: undefined }];
      throw error;
    });
    return workers.reduce((sum, { rawname }) => sum + concurrencyOf(rawname), 0);
  }

  /** Whether there may be a job for a page: of a coordinator that was killed, or of an attempt that failed. */
  mayHave(get: string): boolean {
    return this.#ended.has(jobId(get));
  }

  /** Removes the job of a page that the workers of another key get. */
  forget(get: string): void {
    this.#ended.delete(jobId(get));
    this.received(get);
  }

  /**
   * Waits until a worker has requested a page.
   *
   * @param get path and query below the base URL
   * @throws ArchiveError `QUEUE_FAILED`; the reason of the signal
   */
  async request(get: string, signal: AbortSignal): Promise<PageResult> {
    const id = jobId(get);
    const known = this.#waiting.get(id);
    const waiting = known ?? newWaiting(get);
    if (known === undefined) {
      this.#waiting.set(id, waiting);
      this.#begin(id, get).catch((error) => waiting.fail(queueError(this.options.address, error)));
    }
    const leave = () => this.#abandon(id, signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      signal.throwIfAborted();
      return await waiting.result;
    } finally {
      signal.removeEventListener("abort", leave);
      if (this.#waiting.get(id) === waiting) this.#waiting.delete(id);
    }
  }

  /** Removes the job of a page that was received, a moment later. */
  received(get: string): void {
    const id = jobId(get);
    if (this.#removing.has(id)) return;
    const removed = sleep(REMOVE_AFTER, undefined, { ref: false })
      .then(() => this.#queue.remove(id))
      .catch(() => undefined)
      .then(() => void this.#removing.delete(id));
    this.#removing.set(id, removed);
  }

  /** Whether a page has failed for good. */
  async hasFailed(): Promise<boolean> {
    return (await this.#queue.getFailedCount()) > 0;
  }

  /** Stops, and removes everything from Redis but jobs that failed for good. @returns whether nothing is left */
  async close(): Promise<boolean> {
    this.#stop.abort();
    for (const [id] of this.#waiting) this.#abandon(id, new Error("the queue is closed"));
    try {
      await this.#events.close();
      const hasFailed = await this.hasFailed();
      if (!hasFailed) {
        await this.#queue.obliterate({ force: true });
        await this.#queue.removeRateLimitKey();
      } else {
        await this.#queue.drain(true);
        await this.#queue.clean(0, 0, "completed");
      }
      return !hasFailed;
    } finally {
      await this.#queue.close();
      await this.#looking.catch(() => undefined);
    }
  }

  /** Makes a worker request the page, unless one has or will. */
  async #begin(id: string, get: string): Promise<void> {
    await this.#removing.get(id);
    if (!this.#ended.delete(id)) return this.#add(id, get);
    const job = await this.#queue.getJob(id).catch(() => undefined);
    if (job === undefined) return this.#add(id, get);
    if (job.finishedOn === undefined) return;
    const isFresh = Math.abs(Date.now() - job.timestamp) < MAX_AGE;
    const result = job.failedReason ? undefined : checkResult(job.returnvalue);
    if (result !== undefined && isFresh) return this.#settle(id, result);
    if (job.failedReason) return job.retry("failed", { resetAttemptsStarted: true, resetAttemptsMade: true });
    await this.#queue.remove(id);
    await this.#add(id, get);
  }

  async #add(id: string, get: string): Promise<void> {
    const since = Date.now();
    for (;;) {
      try {
        await this.#queue.add("page", { get }, { jobId: id, attempts: 1, stackTraceLimit: 0 });
        return;
      } catch (error) {
        const isFull = /\bOOM\b/.test((error as Error).message);
        if (!isFull || Date.now() - since > MAX_FULL || this.#stop.signal.aborted) throw error;
        await sleep(FULL_EVERY);
      }
    }
  }

  #settle(id: string, found: PageResult | undefined): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      this.#ended.add(id);
      return;
    }
    this.#waiting.delete(id);
    const result = found ?? LOST;
    if (result.starts > 1 && !this.#reported.has(id)) {
      // A worker has vanished with the page: that attempt counts as well. The next one finds the result.
      this.#reported.add(id);
      this.#ended.add(id);
      this.counts.failed++;
      waiting.settle(LOST);
      return;
    }
    this.#reported.delete(id);
    if (result.status === 429) this.counts.refused++;
    if (isFailed(result)) {
      this.#ended.add(id);
      if (result.status !== 429) this.counts.failed++;
    } else this.counts.received++;
    waiting.settle(result);
  }

  /** Nobody waits for a page any more. No worker needs to begin it. */
  #abandon(id: string, reason: unknown): void {
    this.#waiting.get(id)?.fail(reason);
    this.#waiting.delete(id);
    this.#ended.add(id);
    if (!this.#stop.signal.aborted) void this.#queue.remove(id).catch(() => undefined);
  }

  /** Reads events until the queue is closed. An event that is no JSON ends BullMQ's loop. */
  async #listen(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#events.run().catch(() => undefined);
      await sleep(100);
    }
  }

  /** Finds out what has become of jobs without an event. One that Redis has lost is added again. */
  async #look(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(LOOK_EVERY, undefined, { signal }).catch(() => undefined);
      const old = [...this.#waiting].filter(([, { since }]) => Date.now() - since > LOOK_EVERY);
      for (const [id, waiting] of old) {
        if (signal.aborted) return;
        try {
          await this.#lookAt(id, waiting);
        } catch {
          // Redis is away: later.
        }
      }
    }
  }

  async #lookAt(id: string, waiting: Waiting): Promise<void> {
    const job = await this.#queue.getJob(id);
    if (this.#waiting.get(id) !== waiting) return;
    if (job === undefined) await this.#add(id, waiting.get);
    else if (job.failedReason) this.#settle(id, parseFailedResult(job.failedReason));
    else if (job.finishedOn !== undefined) this.#settle(id, checkResult(job.returnvalue));
  }
}

/** The page was lost with its worker, or what Redis contains is not its result. */
const LOST: PageResult = { headers: {}, failure: { kind: "connection", code: "WORKER_LOST" }, starts: 1 };

function newWaiting(get: string): Waiting {
  const { promise, resolve, reject } = deferred<PageResult>();
  promise.catch(() => undefined);
  return { get, settle: resolve, fail: reject, result: promise, since: Date.now() };
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}

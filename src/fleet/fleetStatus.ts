import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { ArchiveError, type ErrorCode } from "../errors/index.js";
import { checkedOptions, nonEmptyString, show } from "../errors/validators.js";
import { isObject } from "../util/isObject.js";
import { connect, queueError } from "./connection.js";
import { readCorpusId } from "./coordinator.js";
import { type CorpusWindows, corpusWindows } from "./corpusWindows.js";
import { KEY_ID } from "./keyId.js";
import { type PageFailure, type PageResult, parseFailedResult } from "./pageResult.js";
import { queueAddress } from "./queueAddress.js";
import { queueLibrary } from "./queueLibrary.js";
import { keysOf, pagesOf, prefixOf, progressOf, QUEUE_NAME, QUEUES } from "./queueNames.js";

/** Which queue. */
export interface QueueOptions {
  /** URL of the Redis server. */
  queue: string;
  /** The directory of the corpus. */
  corpus: string;
}

/** A page that failed for good: a build stops its search, and the next one tries it again. */
export interface FailedPage {
  /** Path and query. */
  readonly get: string;
  /** The error of the last attempt. */
  readonly code: ErrorCode;
  /** HTTP status; null without a response. */
  readonly status: number | null;
}

/** How far the workers with one key are. */
export interface KeyStatus {
  /** The id of the key in this queue. It tells nothing about the key. */
  readonly key: string;
  /** Connected workers. */
  readonly workers: number;
  /** Pages that wait for a worker, are being requested, were received, and failed for good. */
  readonly pages: PageCounts;
  /** Responses with 429 so far. */
  readonly refused: number;
  /** Pages received per second since the coordinator began; null before. */
  readonly perSecond: number | null;
}

/** Numbers of pages. */
export interface PageCounts {
  /** Wait for a worker. */
  readonly waiting: number;
  /** Are being requested. */
  readonly active: number;
  /** Were received since the coordinator began. */
  readonly received: number;
  /** Failed for good. */
  readonly failed: number;
}

/** How far a fleet is. */
export interface FleetStatus {
  /** Windows of all searches of the corpus. */
  readonly windows: CorpusWindows;
  /** Pages that wait for a worker, are being requested, were received, and failed for good. */
  readonly pages: PageCounts;
  /** Responses with 429 so far. */
  readonly refused: number;
  /** Connected workers. */
  readonly workers: number;
  /** Pages received per second since the coordinator began; null before. */
  readonly perSecond: number | null;
  /** Minutes until the last window is fetched, if all take as long as those so far; null if unknown. */
  readonly minutesLeft: number | null;
  /** The same for the workers of each key. */
  readonly keys: readonly KeyStatus[];
  /** Pages that failed for good, 1,000 at most. */
  readonly failed: readonly FailedPage[];
}

/** Failed pages that are listed. */
const MAX_LISTED = 1000;
const STATES = ["wait", "active", "delayed", "failed"] as const;

/**
 * How far the fleet of a corpus is. Sends no request to the service.
 *
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * const { pages, workers, minutesLeft } = await fleetStatus({ queue: "redis://localhost:6379", corpus: "inflation/" });
 */
export async function fleetStatus(options: QueueOptions): Promise<FleetStatus> {
  const windows = await corpusWindows(options.corpus);
  const idle = { ...sumOf([]), windows, perSecond: null, minutesLeft: null, keys: [], failed: [] };
  return withQueue(options, idle, async ({ queues, redis, name }) => {
    const progress: Record<string, unknown> = await redis.hgetall(progressOf(name));
    const count = (field: string) => Math.max(0, Number(progress[field]) || 0);
    const [seconds, before] = [count("seconds"), count("windows")];
    const keys: KeyStatus[] = [];
    const failed: FailedPage[] = [];
    for (const [key, queue] of queues) {
      const { wait = 0, active = 0, delayed = 0, ...more } = await queue.getJobCounts(...STATES);
      const received = count(`received:${key}`);
      keys.push({
        key,
        workers: (await queue.getWorkers()).length,
        pages: { waiting: wait + delayed, active, received, failed: more.failed ?? 0 },
        refused: count(`refused:${key}`),
        perSecond: seconds > 0 ? received / seconds : null,
      });
      if (failed.length >= MAX_LISTED) continue;
      const jobs = await queue.getFailed(0, MAX_LISTED - failed.length - 1);
      failed.push(...jobs.map((job) => failedPage(job.data, job.failedReason)));
    }
    const minutesPerWindow = windows.done > before ? seconds / 60 / (windows.done - before) : undefined;
    const sum = sumOf(keys);
    return {
      ...sum,
      windows,
      perSecond: seconds > 0 ? sum.pages.received / seconds : null,
      minutesLeft: minutesPerWindow === undefined ? null : minutesPerWindow * (windows.total - windows.done),
      keys,
      failed,
    };
  });
}

function sumOf(keys: readonly KeyStatus[]): Pick<FleetStatus, "pages" | "refused" | "workers"> {
  const sum = (of: (key: KeyStatus) => number) => keys.reduce((total, key) => total + of(key), 0);
  return {
    pages: {
      waiting: sum(({ pages }) => pages.waiting),
      active: sum(({ pages }) => pages.active),
      received: sum(({ pages }) => pages.received),
      failed: sum(({ pages }) => pages.failed),
    },
    refused: sum(({ refused }) => refused),
    workers: sum(({ workers }) => workers),
  };
}

/**
 * Gives the pages that failed for good to the workers again. The next build uses their responses.
 *
 * @returns how many
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * await retryFailed({ queue: "redis://localhost:6379", corpus: "inflation/" }); //=> 2
 */
export function retryFailed(options: QueueOptions): Promise<number> {
  return withQueue(options, 0, async ({ queues }) => {
    const jobs = (await Promise.all([...queues.values()].map((queue) => queue.getFailed(0, -1)))).flat();
    for (const job of jobs) await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
    return jobs.length;
  });
}

/** The queue of a corpus: a BullMQ queue for each key, by its id. */
interface OpenQueues {
  readonly queues: ReadonlyMap<string, Queue>;
  readonly redis: Redis;
  readonly name: string;
}

/** Does something with the queue of a corpus; `otherwise` if it has none. */
async function withQueue<T>(given: QueueOptions, otherwise: T, action: (open: OpenQueues) => Promise<T>): Promise<T> {
  const options = checkedOptions(given, ["queue", "corpus"], "option of a queue");
  const corpus = nonEmptyString("corpus", options.corpus, "inflation/");
  const address = queueAddress(options.queue);
  const library = await queueLibrary();
  const redis = await connect(address, library);
  try {
    const id = readCorpusId(corpus);
    const names = await redis.smembers(QUEUES);
    const name = names.find((one) => QUEUE_NAME.test(one) && one.startsWith(`${id}-`));
    if (name === undefined) return otherwise;
    const keys = (await redis.smembers(keysOf(name))).filter((key) => KEY_ID.test(key)).sort();
    const open = (key: string): [string, Queue] => [
      key,
      new library.Queue(pagesOf(key), { connection: redis, prefix: prefixOf(name), skipMetasUpdate: true }),
    ];
    const queues = new Map(keys.map(open));
    try {
      return await action({ queues, redis, name });
    } finally {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    }
  } catch (error) {
    throw error instanceof ArchiveError ? error : queueError(address, error);
  } finally {
    redis.disconnect();
  }
}

const CODES: Readonly<Record<PageFailure["kind"], ErrorCode>> = {
  connection: "CONNECTION_FAILED",
  timeout: "TIMEOUT",
  truncated: "BODY_TRUNCATED",
  "too large": "BODY_TOO_LARGE",
  undecodable: "UNEXPECTED_BODY",
  "refused job": "QUEUE_FAILED",
};

function failedPage(data: unknown, reason: unknown): FailedPage {
  const result = parseFailedResult(reason);
  const get = isObject(data) ? (data as { readonly get?: unknown }).get : undefined;
  return {
    get: typeof get === "string" ? get : show(data),
    code: result === undefined ? "CONNECTION_FAILED" : codeOf(result),
    status: result?.status ?? null,
  };
}

function codeOf({ status, failure }: PageResult): ErrorCode {
  if (failure !== undefined) return CODES[failure.kind];
  return status === 429 ? "RATE_LIMITED" : "SERVER_ERROR";
}

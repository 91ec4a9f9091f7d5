import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { ArchiveError, type ErrorCode } from "../errors/index.js";
import { checkedOptions, nonEmptyString, show } from "../errors/validators.js";
import { isObject } from "../util/isObject.js";
import { connect, queueError } from "./connection.js";
import { readCorpusId } from "./coordinator.js";
import { type CorpusWindows, corpusWindows } from "./corpusWindows.js";
import { type PageFailure, type PageResult, parseFailedResult } from "./pageResult.js";
import { queueAddress } from "./queueAddress.js";
import { queueLibrary } from "./queueLibrary.js";
import { PAGES, prefixOf, QUEUE_NAME, QUEUES } from "./queueNames.js";

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

/** How far a fleet is. */
export interface FleetStatus {
  /** Windows of all searches of the corpus. */
  readonly windows: CorpusWindows;
  /** Pages that wait for a worker, are being requested, were received, and failed for good. */
  readonly pages: {
    readonly waiting: number;
    readonly active: number;
    readonly received: number;
    readonly failed: number;
  };
  /** Responses with 429 so far. */
  readonly refused: number;
  /** Connected workers. */
  readonly workers: number;
  /** Pages received per second since the coordinator began; null before. */
  readonly perSecond: number | null;
  /** Minutes until the last window is fetched, if all take as long as those so far; null if unknown. */
  readonly minutesLeft: number | null;
  /** Pages that failed for good, 1,000 at most. */
  readonly failed: readonly FailedPage[];
}

/** Failed pages that are listed. */
const MAX_LISTED = 1000;

/**
 * How far the fleet of a corpus is. Sends no request to the service.
 *
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * const { pages, workers, minutesLeft } = await fleetStatus({ queue: "redis://localhost:6379", corpus: "inflation/" });
 */
export async function fleetStatus(options: QueueOptions): Promise<FleetStatus> {
  const windows = await corpusWindows(options.corpus);
  const none = { waiting: 0, active: 0, received: 0, failed: 0 };
  const idle = { windows, pages: none, refused: 0, workers: 0, perSecond: null, minutesLeft: null, failed: [] };
  return withQueue(options, idle, async (queue, redis, name) => {
    const counts = await queue.getJobCounts("wait", "active", "delayed", "failed");
    const progress: Record<string, unknown> = await redis.hgetall(`${prefixOf(name)}:progress`);
    const [received, refused, seconds, before] = ["received", "refused", "seconds", "windows"].map((field) =>
      Math.max(0, Number(progress[field]) || 0),
    ) as [number, number, number, number];
    const { wait = 0, active = 0, delayed = 0, failed = 0 } = counts;
    const minutesPerWindow = windows.done > before ? seconds / 60 / (windows.done - before) : undefined;
    return {
      windows,
      pages: { waiting: wait + delayed, active, received, failed },
      refused,
      workers: (await queue.getWorkers()).length,
      perSecond: seconds > 0 ? received / seconds : null,
      minutesLeft: minutesPerWindow === undefined ? null : minutesPerWindow * (windows.total - windows.done),
      failed: (await queue.getFailed(0, MAX_LISTED - 1)).map((job) => failedPage(job.data, job.failedReason)),
    };
  });
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
  return withQueue(options, 0, async (queue) => {
    const jobs = await queue.getFailed(0, -1);
    for (const job of jobs) await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
    return jobs.length;
  });
}

/** Does something with the queue of a corpus; `otherwise` if it has none. */
async function withQueue<T>(
  given: QueueOptions,
  otherwise: T,
  action: (queue: Queue, redis: Redis, name: string) => Promise<T>,
): Promise<T> {
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
    const queue = new library.Queue(PAGES, { connection: redis, prefix: prefixOf(name), skipMetasUpdate: true });
    try {
      return await action(queue, redis, name);
    } finally {
      await queue.close();
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

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openCorpus } from "../corpus/index.js";
import { checkedOptions, nonEmptyString } from "../errors/validators.js";
import type { FleetStorage } from "./bucketStorage.js";
import { connect, queueError } from "./connection.js";
import { FleetQueue, queueName } from "./fleetQueue.js";
import { queueAddress } from "./queueAddress.js";
import { openStorage } from "./storage.js";

/** Which queue. */
export interface QueueOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory of the corpus. */
  corpus: string;
}

/** How far a fleet is. */
export interface FleetStatus {
  /** Windows of the corpus: those that have landed, and all; windows that wait for a worker, and that are being fetched. */
  readonly windows: {
    readonly done: number;
    readonly total: number;
    readonly waiting: number;
    readonly active: number;
  };
  /** Requests sent in this run, by all. */
  readonly requests: number;
  /** Requests per second since the run began; null before. */
  readonly perSecond: number | null;
  /** Workers that are connected. */
  readonly workers: number;
}

/**
 * How far the fleet of a corpus is. Sends no request to the service.
 *
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * const { windows, workers, perSecond } = await fleetStatus({ queue: "redis://localhost:6379", corpus: "inflation/" });
 */
export async function fleetStatus(options: QueueOptions): Promise<FleetStatus> {
  const { corpus } = options;
  const { done, total } = existsSync(join(corpus, "corpus.json"))
    ? (await (await openCorpus(corpus)).info()).windows
    : { done: 0, total: 0 };
  const windows = { done, total, waiting: 0, active: 0 };
  const idle = { windows, requests: 0, perSecond: null, workers: 0 };
  return withQueue(options, ["queue", "corpus"], idle, undefined, async (queue) => {
    const { wait = 0, active = 0 } = await queue.jobs.getJobCounts("wait", "active");
    const { total, before = 0, began } = await queue.connection.redis.hgetall(queue.sent);
    const requests = Number(total) - Number(before) || 0;
    const seconds = (Date.now() - Number(began)) / 1000;
    const perSecond = seconds > 0 ? requests / seconds : null;
    const workers = (await queue.workers()).size;
    return { windows: { ...windows, waiting: wait, active }, requests, perSecond, workers };
  });
}

/**
 * Removes the queue of a corpus whose coordinator was killed: from Redis, and its files from the storage. Rows that workers have fetched since
 * are lost. Without it, a queue expires a day after its coordinator.
 *
 * @returns whether there was one
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * await cleanQueue({ queue: "redis://localhost:6379", corpus: "inflation/", storage: "/mnt/shared" }); //=> true
 */
export async function cleanQueue(
  options: QueueOptions & { storage?: string | undefined; cloudOptions?: Readonly<Record<string, string>> | undefined },
): Promise<boolean> {
  const storage = await openStorage(options.storage, options.cloudOptions);
  return withQueue(options, ["queue", "corpus", "storage", "cloudOptions"], false, storage, async (queue) => {
    await queue.removeFiles();
    await queue.remove();
    return true;
  });
}

/** Does something with the queue of a corpus; `otherwise` if it has none. */
async function withQueue<T>(
  given: QueueOptions,
  names: readonly string[],
  otherwise: T,
  storage: FleetStorage | undefined,
  action: (queue: FleetQueue) => Promise<T>,
): Promise<T> {
  const options = checkedOptions(given, names, "option of a queue") as QueueOptions;
  const name = queueName(nonEmptyString("corpus", options.corpus, "inflation/"));
  const address = queueAddress(options.queue);
  const connection = await connect(address);
  try {
    if (name === undefined) return otherwise;
    const queue = new FleetQueue(connection, name, storage);
    return (await queue.exists()) ? await action(queue) : otherwise;
  } catch (error) {
    throw queueError(address, error);
  } finally {
    connection.redis.disconnect();
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openCorpus } from "../corpus/index.js";
import { checkedOptions, nonEmptyString } from "../errors/validators.js";
import {
  type Connection,
  connect,
  planOf,
  prefixOf,
  QUEUES,
  queueError,
  removeQueue,
  sentOf,
  WINDOWS,
} from "./connection.js";
import { queueId, removeFiles } from "./coordinator.js";
import { queueAddress } from "./queueAddress.js";
import { rateOf } from "./sharedGate.js";
import { openStorage } from "./storage.js";
import { presentWorkers } from "./workers.js";

/** Which queue. */
export interface QueueOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory of the corpus. */
  corpus: string;
}

/** How far the workers with one key are. */
export interface KeyStatus {
  /** A short id, which tells nothing about the key. */
  readonly key: string;
  /** Workers that use it. */
  readonly workers: number;
  /** Responses with 429, in the last day. */
  readonly refused: number;
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
  /** The keys of these workers. */
  readonly keys: readonly KeyStatus[];
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
  const idle = { windows, requests: 0, perSecond: null, workers: 0, keys: [] };
  return withQueue(options, ["queue", "corpus"], idle, async ({ redis, library }, name) => {
    const queue = new library.Queue(WINDOWS, { connection: redis, prefix: prefixOf(name), skipMetasUpdate: true });
    const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active");
    await queue.close();
    const requests = Number(await redis.hget(sentOf(name), "total")) || 0;
    const seconds = Number(await redis.hget(planOf(name), "seconds")) || 0;
    const workers = await presentWorkers(redis, name);
    const service = name.slice(name.indexOf("-") + 1);
    const keys: KeyStatus[] = [];
    for (const key of new Set(workers.map((worker) => worker.key))) {
      const refused = Number(await redis.hget(rateOf(service, key), "refused")) || 0;
      keys.push({ key, workers: workers.filter((worker) => worker.key === key).length, refused });
    }
    const perSecond = seconds > 0 ? requests / seconds : null;
    return { windows: { ...windows, waiting: wait, active }, requests, perSecond, workers: workers.length, keys };
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
  return withQueue(options, ["queue", "corpus", "storage", "cloudOptions"], false, async (connection, name) => {
    await removeFiles({ connection, storage }, name);
    await removeQueue(connection.redis, name);
    return true;
  });
}

/** Does something with the queue of a corpus; `otherwise` if it has none. */
async function withQueue<T>(
  given: QueueOptions,
  names: readonly string[],
  otherwise: T,
  action: (connection: Connection, name: string) => Promise<T>,
): Promise<T> {
  const options = checkedOptions(given, names, "option of a queue") as QueueOptions;
  const corpus = nonEmptyString("corpus", options.corpus, "inflation/");
  const address = queueAddress(options.queue);
  const connection = await connect(address);
  try {
    const id = queueId(corpus);
    const name = (await connection.redis.smembers(QUEUES)).find((one) => id !== undefined && one.startsWith(`${id}-`));
    return name === undefined ? otherwise : await action(connection, name);
  } catch (error) {
    throw queueError(address, error);
  } finally {
    connection.redis.disconnect();
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openCorpus } from "../corpus/index.js";
import { checkedOptions, nonEmptyString } from "../errors/validators.js";
import { sum } from "../util/sum.js";
import { connect, queueAddress, queueError } from "./connection.js";
import { CLOSED, FleetQueue, queueName } from "./fleetQueue.js";
import type { FleetOptions } from "./openFleet.js";
import { countOf } from "./sharedGate.js";
import { type FleetStorage, openStorage } from "./storage.js";

/** Progress of a fleet, see {@link fleetStatus}. */
export interface FleetStatus {
  /** Windows of the corpus: `done` of `total` have landed, `waiting` are in the queue, workers fetch `active`. */
  readonly windows: {
    readonly done: number;
    readonly total: number;
    readonly waiting: number;
    readonly active: number;
  };
  /** Requests that the coordinator and all workers have sent in this run. */
  readonly requests: number;
  /** Requests per second since the run began; null without a coordinator. */
  readonly perSecond: number | null;
  /** Connected workers. */
  readonly workers: number;
  /** Whether a build or refresh runs. One that was killed counts for ten more seconds; the same command continues it. */
  readonly coordinator: boolean;
}

/**
 * Reports the progress of the fleet that builds a corpus. Sends no request to the service.
 *
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * const { windows, workers, perSecond } = await fleetStatus({ queue: "redis://localhost:6379", corpus: "inflation/" });
 */
export async function fleetStatus(options: Pick<FleetOptions, "corpus" | "queue">): Promise<FleetStatus> {
  const { corpus } = options;
  const { done, total } = existsSync(join(corpus, "corpus.json"))
    ? (await (await openCorpus(corpus)).info()).windows
    : { done: 0, total: 0 };
  const windows = { done, total, waiting: 0, active: 0 };
  const idle = { windows, requests: 0, perSecond: null, workers: 0, coordinator: false };
  return withQueue(options, ["queue", "corpus"], idle, undefined, async (queue) => {
    const { redis } = queue.connection;
    const { wait = 0, active = 0 } = await queue.jobs.getJobCounts("wait", "active");
    const { before, began } = await redis.hgetall(queue.key("run"));
    const sent = sum((await redis.hvals(queue.key("sent"))).map(countOf));
    const requests = before === undefined ? 0 : Math.max(0, sent - countOf(before));
    const seconds = (Date.now() - countOf(began)) / 1000;
    const plan = await queue.plan();
    const [workers, coordinator] = [await queue.workers(), plan !== null && plan !== CLOSED];
    const perSecond = coordinator && seconds > 0 ? requests / seconds : null;
    return { windows: { ...windows, waiting: wait, active }, requests, perSecond, workers, coordinator };
  });
}

/**
 * Removes the queue of a corpus whose coordinator was killed, and its files in the storage. Windows that workers have fetched since then are
 * lost. A queue that nobody removes expires a day after its coordinator.
 *
 * @returns whether the corpus had a queue
 * @throws ArchiveError `QUEUE_FAILED`
 * @example
 * await cleanQueue({ queue: "redis://localhost:6379", corpus: "inflation/", storage: "/mnt/shared" }); //=> true
 */
export async function cleanQueue(options: FleetOptions): Promise<boolean> {
  const storage = openStorage(options.storage);
  const names = ["queue", "corpus", "storage"];
  return withQueue(options, names, false, storage, (queue) => queue.remove());
}

/** Calls `action` with the queue of a corpus. Returns `otherwise` if the corpus has none. */
async function withQueue<T>(
  given: FleetOptions,
  names: readonly string[],
  otherwise: T,
  storage: FleetStorage | undefined,
  action: (queue: FleetQueue) => Promise<T>,
): Promise<T> {
  const options = checkedOptions(given, names, "option of a queue") as FleetOptions;
  const name = queueName(nonEmptyString("corpus", options.corpus, "inflation/"));
  const address = queueAddress(options.queue);
  const connection = await connect(address);
  try {
    return name === undefined ? otherwise : await action(new FleetQueue(connection, name, storage));
  } catch (error) {
    throw queueError(address, error);
  } finally {
    connection.redis.disconnect();
  }
}

import { randomBytes } from "node:crypto";
import { APIError } from "../errors/index.js";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { type Connection, connect, keyId, queueAddress } from "./connection.js";
import { FleetQueue, queuesOf } from "./fleetQueue.js";
import { QueueWorker, type WorkerOptions } from "./queueWorker.js";
import { openStorage } from "./storage.js";

/** A running worker. */
export interface FleetWorker {
  /** Windows fetched so far. */
  readonly windows: number;
  /** Finishes the windows in progress, takes no new ones, and disconnects. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a worker of a fleet. It fetches windows with its own key and puts them into the shared storage, for every corpus that is built at
 * this Redis server from the same service. Without one it waits.
 *
 * The worker first checks that its key works. Before it takes windows of a corpus, it checks that it shares the coordinator's storage and
 * version. If not, it reports what is wrong (`onProblem`, and to the coordinator) and takes nothing.
 *
 * @param options see {@link WorkerOptions}. The key is never written to Redis
 * @throws ValidationError; AuthenticationError if there is no key or the service refuses it; NotFoundError for a wrong address; ArchiveError `QUEUE_MISSING` or `QUEUE_FAILED`
 * @example
 * const worker = await startWorker({ queue: "redis://localhost:6379" }); // key from ARCHIVE_API_KEY
 * await worker.close();
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const { queue, storage, cloudOptions, concurrency = 4, lostAfter = 10, onProblem, onJoin, ...client } = options;
  const address = queueAddress(queue);
  const checked = { ...client, concurrency: positiveInteger("concurrency", concurrency, 4) };
  const settings = resolveOptions(checked);
  positiveNumber("lostAfter", lostAfter, 10, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    const id = randomBytes(4).toString("hex");
    await checkKey(settings, connection, id);
    const key = keyId(settings);
    const worker = new QueueWorker(connection, files, settings, { ...checked, lostAfter, onProblem, onJoin }, id, key);
    // Printing the worker must not show the key.
    return {
      get windows() {
        return worker.windows;
      },
      close: () => worker.close(),
    };
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}

/** Requests a person. Any response but a refused key will do. Tells the coordinators of a refused one. */
async function checkKey(settings: ResolvedOptions, connection: Connection, worker: string): Promise<void> {
  const transport = new Transport({ ...settings, maxRetries: 0 });
  try {
    await transport.request("/people/1", []);
  } catch (error) {
    // A gateway refuses a wrong address with 403, too.
    if (!(error instanceof APIError && (error.code === "AUTHENTICATION" || error.statusCode === 403))) return;
    for (const name of await queuesOf(connection, settings.baseUrl))
      await new FleetQueue(connection, name).reportMisfit(worker, "key");
    throw error.advise("The worker has taken no window.");
  } finally {
    await transport.close();
  }
}

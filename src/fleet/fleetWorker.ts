import { APIError } from "../errors/index.js";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { connect, keyId } from "./connection.js";
import type { FleetOptions } from "./openFleet.js";
import { queueAddress } from "./queueAddress.js";
import { QueueWorker } from "./queueWorker.js";
import { openStorage } from "./storage.js";

/** Options of {@link startWorker}. */
export interface WorkerOptions
  extends Pick<ClientOptions, "apiKey" | "baseUrl" | "timeout" | "allowInsecure">,
    Omit<FleetOptions, "corpus"> {
  /** Windows fetched at the same time, each with one request at a time. Default 4. */
  concurrency?: number | undefined;
  /** Seconds until another worker gets the window of a worker that has vanished. Default 10. */
  lostAfter?: number | undefined;
  /** Called with problems that concern no single window, for example a lost connection to Redis or the wrong storage. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Called when the worker starts on a corpus. */
  onJoin?: (() => void) | undefined;
}

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
 * version. If not, it reports what is wrong (`onProblem`) and takes nothing.
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
  const lockDuration = 1000 * positiveNumber("lostAfter", lostAfter, 10, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    await checkKey(settings);
    const key = keyId(settings);
    const nothing = () => undefined;
    const more = { lockDuration, key, onProblem: onProblem ?? nothing, onJoin: onJoin ?? nothing };
    const worker = new QueueWorker(connection, files, settings, { client: checked, ...more });
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

/** Requests a person. Any response but a refused key will do. */
async function checkKey(settings: ResolvedOptions): Promise<void> {
  const transport = new Transport({ ...settings, maxRetries: 0 });
  try {
    await transport.request("/people/1", []);
  } catch (error) {
    // A gateway refuses a wrong address with 403, too.
    if (error instanceof APIError && (error.code === "AUTHENTICATION" || error.statusCode === 403))
      throw error.advise("The worker has taken no window.");
  } finally {
    await transport.close();
  }
}

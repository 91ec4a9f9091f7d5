import { AuthenticationError } from "../errors/index.js";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { connect, keyId } from "./connection.js";
import { queueAddress } from "./queueAddress.js";
import { QueueWorker } from "./queueWorker.js";
import { openStorage } from "./storage.js";

/** Options of {@link startWorker}. */
export interface WorkerOptions extends Pick<ClientOptions, "apiKey" | "baseUrl" | "timeout" | "allowInsecure"> {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory, or the bucket (`"s3://bucket/fleet"`), that workers and coordinator share. Default: a directory of this user. */
  storage?: string | undefined;
  /** Settings of the bucket, as of `save`: `{ aws_region: "eu-west-1" }`. Default: those of the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
  /** Windows in parallel, each with one request at a time. Default 4. */
  concurrency?: number | undefined;
  /** Seconds until the window of a worker that vanished is given to another one. Default 10. */
  lostAfter?: number | undefined;
  /** Called with what went wrong beside the windows: Redis was lost, or the storage is another one, say. Default: nothing. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Called when it begins to work for a corpus. Default: nothing. */
  onJoin?: (() => void) | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** Windows fetched so far. */
  readonly windows: number;
  /** Finishes the windows it is fetching, takes no others, and leaves. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a worker of a fleet: fetches windows of the corpora that are built at a Redis server, with its own key, and puts them into the
 * shared storage. It works for every corpus of its service, and waits when there is none.
 *
 * First it checks that its key works. Before it takes a window of a corpus, it checks that it sees the storage of the coordinator and has its
 * version; otherwise it says what is wrong (`onProblem`) and takes nothing.
 *
 * @param options see {@link WorkerOptions}. The key is never written to Redis
 * @throws ValidationError, AuthenticationError without a key or if the service refuses it; ArchiveError `QUEUE_MISSING` or `QUEUE_FAILED`
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
    const key = await keyId(connection, settings.key);
    const nothing = () => undefined;
    const more = { lockDuration, key, onProblem: onProblem ?? nothing, onJoin: onJoin ?? nothing };
    const worker = new QueueWorker(connection, files, settings, { client: checked, ...more });
    // Nothing else: whoever prints it must not see the key.
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

/** Asks for a person. Only the refusal of the key matters. */
async function checkKey(settings: ResolvedOptions): Promise<void> {
  const transport = new Transport({ ...settings, maxRetries: 0 });
  try {
    await transport.request("/people/1", []);
  } catch (error) {
    if (error instanceof AuthenticationError) throw error.advise("The worker has taken no window.");
  } finally {
    await transport.close();
  }
}

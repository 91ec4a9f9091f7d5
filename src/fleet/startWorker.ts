import { APIError, type ArchiveError, AuthenticationError, RateLimitError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { type ClientOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { operationOfPath } from "../service/operations/operations.js";
import { openQueue, type QueuedRequest, type QueuedResponse, type RequestQueue } from "./queue.js";

/** Options of {@link startWorker}. */
export interface WorkerOptions extends ClientOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /**
   * What the key allows, for several workers that share it: `"25/s"`, `"1000/m"` or `"5000/h"`. Default: each worker finds the rate of its
   * key.
   */
  quota?: string | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** Requests that it has sent. */
  readonly requests: number;
  /** Resolves with the reason if the service refuses its key, or the quota is used up. The worker then stops. */
  readonly refused: Promise<ArchiveError>;
  /** Finishes the requests in progress. */
  close(): Promise<void>;
}

const QUOTA = /^([1-9]\d{0,8})\/([smh])$/;
const MILLISECONDS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** In milliseconds. The job of a worker that does not renew its lock in time goes to another one. */
const LOCKS = { lockDuration: 10_000, stalledInterval: 5000, maxStalledCount: 100 };

/**
 * Sends the requests of a queue with a key of its own, at the rate that the service allows it.
 *
 * @param options `concurrency` is 4 by default
 * @throws AuthenticationError if the service refuses the key; otherwise as `openFleet`
 * @example
 * const worker = await startWorker({ queue: "redis://localhost:6379" }); // key from ARCHIVE_API_KEY
 * await worker.close();
 */
export async function startWorker(options: WorkerOptions = {}): Promise<FleetWorker> {
  const { queue: address, quota, ...client } = options;
  const limit = quotaOf(quota);
  const settings = resolveOptions({ ...client, concurrency: client.concurrency ?? 4 });
  const transport = new Transport(settings);
  const queue = await openQueue(address, settings.baseUrl);
  let total = 0;
  try {
    // An unknown person is an empty response; a refused key is not.
    await transport.request("/people/1", [], { onRequest: () => void total++ }).catch((error: unknown) => {
      if (isRefusal(error)) throw error;
    });
  } catch (error) {
    await Promise.all([transport.close(), queue.close()]);
    throw error;
  }
  await setQuota(queue, limit);
  let refuse: (reason: ArchiveError) => void = () => undefined;
  const refused = new Promise<ArchiveError>((resolve) => {
    refuse = resolve;
  });
  const worker = new queue.Worker<QueuedRequest, QueuedResponse>(
    queue.name,
    async ({ id = "", data }) => {
      let requests = 0;
      const onRequest = () => {
        requests++;
        total++;
      };
      try {
        // Throws for other paths, because others may write to Redis.
        operationOfPath(data.path);
        // The worker waits after a 429, which concerns its key. The client repeats all other failures, within its budget.
        const response = await transport.request(data.path, data.query, { isProbe: true, onRequest });
        await queue.putBody(id, response.body);
        return { status: response.status, headers: response.headers, requests };
      } catch (error) {
        if (isRefusal(error)) {
          refuse(error);
          // The job fails, and the client sends it again to workers with other keys.
          void worker.close();
          throw error;
        }
        if (!(error instanceof APIError) || error.response === undefined) throw error;
        await queue.putBody(id, Buffer.from(error.response.body));
        return { status: error.response.status, headers: error.response.headers, requests };
      }
    },
    { connection: queue.redis, concurrency: settings.concurrency, ...LOCKS },
  );
  worker.on("error", () => undefined);
  return {
    get requests() {
      return total;
    },
    refused,
    async close() {
      const isConnected = queue.redis.status === "ready";
      if (isConnected) await worker.close();
      else void worker.close(true);
      if (isConnected && limit !== undefined && (await queue.jobs.getWorkersCount()) === 0)
        await queue.jobs.removeGlobalRateLimit();
      await Promise.all([transport.close(), queue.close()]);
    },
  };
}

function quotaOf(quota: unknown) {
  if (quota === undefined) return undefined;
  const [, requests, unit = ""] = QUOTA.exec(String(quota)) ?? [];
  if (requests !== undefined) return { requests: Number(requests), milliseconds: MILLISECONDS[unit] as number };
  throw invalid("quota", quota, 'Give requests per second, minute or hour, for example quota: "25/s".');
}

/** The limit outlives killed workers, so the first worker removes it. */
async function setQuota({ jobs }: RequestQueue, limit: ReturnType<typeof quotaOf>): Promise<void> {
  if (limit !== undefined) await jobs.setGlobalRateLimit(limit.requests, limit.milliseconds);
  else if ((await jobs.getWorkersCount()) === 0) await jobs.removeGlobalRateLimit();
}

/** Whether the service refuses the key, or its quota is used up. */
function isRefusal(error: unknown): error is ArchiveError {
  return error instanceof AuthenticationError || (error instanceof RateLimitError && error.isQuota);
}

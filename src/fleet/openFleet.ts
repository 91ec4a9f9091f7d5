import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { Dispatcher } from "undici";
import type { Format } from "../call/callOptions.js";
import { type ArchiveClientOptions, clientSettings, type DecidedOutput } from "../call/clientContext.js";
import { type ArchiveClient, createClient } from "../client.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine } from "../frames/engine.js";
import { REQUESTS_HEADER } from "../service/http/requester.js";
import { CallSignal, untilAborted } from "../util/callSignal.js";
import { type Clock, systemClock } from "../util/clock.js";
import { isObject } from "../util/objects.js";
import { openQueue, type QueuedRequest, type QueuedResponse, type RequestQueue } from "./queue.js";

/** Options of {@link openFleet}: those of a client, and `queue`. */
export type OpenFleetOptions<F extends Format = Format, E extends Engine = Engine> = Omit<
  ArchiveClientOptions<F, E>,
  "apiKey" | "session"
> & {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
};

/** A placeholder, because the workers have the keys. */
const NO_KEY = "the-workers-have-keys";

/**
 * Opens a client whose requests wait in a queue until workers (`startWorker`, `archive-frames work`) have sent them. Otherwise it is like
 * any client.
 *
 * Requests, and for an hour at most responses, are readable in Redis: outside one machine it needs a password and TLS (`rediss://`).
 *
 * @param options `concurrency` is 64 by default and `timeout` 600, which includes waiting in the queue
 * @throws ArchiveError `QUEUE_MISSING` without bullmq and ioredis, `QUEUE_FAILED` if Redis cannot be used, and for a request after 60
 * seconds without a worker
 * @example
 * const archive = await openFleet({ queue: "redis://localhost:6379" });
 * const corpus = await openCorpus("inflation/", { archive, searches, window: "month" });
 * await corpus.build();
 * await archive.close();
 */
export async function openFleet<F extends Format = "dataframe", E extends Engine = "polars">(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E> = {} as never,
): Promise<ArchiveClient<F, E>> {
  return openFleetAt(options, systemClock);
}

/** @internal */
export async function openFleetAt<F extends Format, E extends Engine>(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E>,
  clock: Clock,
): Promise<ArchiveClient<F, E>> {
  const { queue: address, ...clientOptions } = options;
  const { concurrency, timeout } = clientOptions;
  const settings = { ...clientOptions, concurrency: concurrency ?? 64, timeout: timeout ?? 600, apiKey: NO_KEY };
  const { baseUrl, maxBodyBytes } = clientSettings(settings as never);
  const queue = await openQueue(address, baseUrl);
  const dispatcher = new QueueDispatcher(queue, new URL(baseUrl).pathname.replace(/\/$/, ""), maxBodyBytes, clock);
  try {
    return createClient<F, E>({ ...settings, session: dispatcher } as never, { onClose: () => dispatcher.close() });
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
}

/** Milliseconds between checks for lost jobs and events, and for workers. */
const CHECK_INTERVAL = 2000;
/** Seconds without a worker after which a request fails. */
const WORKER_TIMEOUT = 60;

/** Puts each request of a client into the queue, and returns the response of the worker. */
class QueueDispatcher extends Dispatcher {
  readonly #events;

  constructor(
    private readonly queue: RequestQueue,
    private readonly basePath: string,
    private readonly maxBodyBytes: number,
    private readonly clock: Clock,
  ) {
    super();
    this.#events = queue.events();
  }

  override async request({ path, signal }: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const { pathname, searchParams } = new URL(path, "http://service");
    const request = { path: pathname.slice(this.basePath.length), query: [...searchParams] };
    const { status, headers, body } = await this.#send(request, signal as AbortSignal);
    return { statusCode: status, headers, body: Readable.from([body]) } as unknown as Dispatcher.ResponseData;
  }

  async #send(request: QueuedRequest, signal: AbortSignal) {
    // BullMQ's own ids start again when Redis loses everything: a request could receive the response of another one.
    const id = randomUUID();
    const job = await untilAborted(this.queue.jobs.add("request", request, { jobId: id }), signal);
    const watch = new CallSignal([signal]);
    try {
      const finished = job.waitUntilFinished(this.#events).catch(({ message }) => {
        throw connectionLost(message);
      });
      const response: unknown = await untilAborted(Promise.race([finished, this.#watch(id, watch.signal)]), signal);
      const body = await untilAborted(this.queue.takeBody(id, this.maxBodyBytes), signal);
      if (body === undefined || !isResponse(response)) throw connectionLost("Redis has lost a response.");
      const { status, headers, requests } = response;
      return { status, headers: { ...headers, [REQUESTS_HEADER]: String(requests) }, body };
    } finally {
      watch.abort();
      watch.release();
      // Fails if a worker has the job, which then stays until it expires.
      job.remove().catch(() => undefined);
    }
  }

  /** Resolves if the job is finished although its event was lost. Rejects if Redis has lost the job, or if there is no worker. */
  async #watch(id: string, signal: AbortSignal): Promise<unknown> {
    for (let secondsWithoutWorker = 0; ; ) {
      await this.clock.sleep(CHECK_INTERVAL, signal);
      const job = await this.queue.jobs.getJob(id);
      if (job === undefined || job.failedReason) throw connectionLost("Redis or a worker has lost a request.");
      if (job.finishedOn !== undefined) return job.returnvalue;
      const hasWorker = (await this.queue.jobs.getWorkersCount()) > 0;
      secondsWithoutWorker = hasWorker ? 0 : secondsWithoutWorker + CHECK_INTERVAL / 1000;
      if (secondsWithoutWorker >= WORKER_TIMEOUT)
        throw new ArchiveError(`no worker has taken a request for ${WORKER_TIMEOUT} seconds.`, {
          code: "QUEUE_FAILED",
          hint: "Start one with the same queue and service: archive-frames work",
        });
    }
  }

  override async close(): Promise<void> {
    if (this.queue.redis.status === "ready") await this.#events.close();
    await this.queue.close();
  }
}

/** Whether a value from Redis is a response. Others may write there. */
function isResponse(value: unknown): value is QueuedResponse {
  if (!isObject(value) || !isObject(value.headers)) return false;
  const isCount = Number.isSafeInteger(value.requests) && Number(value.requests) >= 0;
  const isStatus = Number.isInteger(value.status) && Number(value.status) >= 200 && Number(value.status) < 600;
  return isCount && isStatus && Object.values(value.headers).every((header) => typeof header === "string");
}

/** The client retries a request whose connection was lost. */
function connectionLost(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}

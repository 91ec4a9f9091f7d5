import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { type OwnedDispatcher, ownDispatcher } from "../service/http/dispatcher.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { parseHttpDate, parseRetryAfter } from "../service/http/retryAfter.js";
import type { BodyStorage } from "./bodyStorage.js";
import { connect, connectionOptions } from "./connection.js";
import { type FetchedPage, fetchPage } from "./fetchPage.js";
import { keyId } from "./keyId.js";
import { openStorage } from "./openStorage.js";
import { jobUrl } from "./pageJob.js";
import { isFailed, type PageResult } from "./pageResult.js";
import { type QueueAddress, queueAddress } from "./queueAddress.js";
import { type QueueLibrary, queueLibrary } from "./queueLibrary.js";
import { isOfService, keysOf, pagesOf, prefixOf, QUEUES } from "./queueNames.js";
import { workerName } from "./workerName.js";

/** Options of {@link startWorker}. */
export interface WorkerOptions extends Pick<ClientOptions, "apiKey" | "baseUrl" | "timeout" | "allowInsecure"> {
  /** URL of the Redis server: `"redis://localhost:6379"`, `"rediss://user:password@host:6380/0"`. */
  queue: string;
  /** The directory, or the bucket (`"s3://bucket/fleet"`), that workers and coordinator share. Default: a directory of this user. */
  storage?: string | undefined;
  /** Settings of the bucket, as of `save`: `{ aws_region: "eu-west-1" }`. Default: those of the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
  /** Requests in parallel. Default 4. */
  concurrency?: number | undefined;
  /** Seconds until the page of a worker that vanished is given to another one. Default 10. */
  lostAfter?: number | undefined;
  /** Called with what went wrong beside the pages: Redis was lost, say. Default: nothing. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Called when it begins to work for a corpus, with the id by which warnings and `corpus status` call its key. Default: nothing. */
  onJoin?: ((key: string) => void) | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** Pages fetched so far. */
  readonly pages: number;
  /** Finishes the pages it is fetching, takes no others, and leaves. Idempotent. */
  close(): Promise<void>;
}

/** Milliseconds between two looks for queues. */
const LOOK_EVERY = 1000;
/** A page whose workers vanish this often fails. */
const MAX_LOST = 5;
/** Seconds that a 429 without Retry-After pauses all workers, and the longest pause. */
const PAUSE = 1;
const MAX_PAUSE = 300;
const REDACTED =
  "A response contains the API key, which was replaced with [redacted]. If your key is an ordinary word, this changed rows " +
  "that contain the word: the provenance counts them as redactions.";

/**
 * Starts a worker of a fleet: takes pages from the queues at a Redis server, requests them with its own key, and puts the responses
 * into the shared storage. It works for every corpus of its service, and waits when there is none.
 *
 * @param options see {@link WorkerOptions}. The key is never written to Redis
 * @throws ValidationError, AuthenticationError without a key; ArchiveError `QUEUE_MISSING` or `QUEUE_FAILED`
 * @example
 * const worker = await startWorker({ queue: "redis://localhost:6379" }); // key from ARCHIVE_API_KEY
 * await worker.close();
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const { queue, storage, cloudOptions, concurrency = 4, lostAfter = 10, onProblem, onJoin, ...client } = options;
  const address = queueAddress(queue);
  const settings = resolveOptions({ ...client, concurrency: positiveInteger("concurrency", concurrency, 4) });
  const lockDuration = 1000 * positiveNumber("lostAfter", lostAfter, 10, "seconds");
  const bodies = await openStorage(storage, cloudOptions);
  const library = await queueLibrary();
  const redis = await connect(address, library);
  return new QueueWorker(redis, library, {
    address,
    settings,
    lockDuration,
    storage: bodies,
    onProblem: onProblem ?? (() => undefined),
    onJoin: onJoin ?? (() => undefined),
  });
}

interface Settings {
  readonly address: QueueAddress;
  readonly settings: ResolvedOptions;
  readonly lockDuration: number;
  readonly storage: BodyStorage;
  readonly onProblem: (problem: string) => void;
  readonly onJoin: (key: string) => void;
}

/** A BullMQ worker, and the id of its key in its queue. */
interface Member {
  readonly worker: Worker;
  readonly key: string;
}

class QueueWorker implements FleetWorker {
  pages = 0;
  readonly #members = new Map<string, Member>();
  readonly #owned: OwnedDispatcher;
  readonly #name: string;
  readonly #stop = new AbortController();
  readonly #looking: Promise<void>;
  #active = 0;
  #hasWarnedOfKey = false;
  #closing: Promise<void> | undefined;

  constructor(
    readonly redis: Redis,
    readonly library: QueueLibrary,
    readonly options: Settings,
  ) {
    this.#name = workerName(options.settings.concurrency);
    this.#owned = ownDispatcher(options.settings, () => this.#active > 0);
    this.#looking = this.#look();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all([...this.#members].map(([name, member]) => this.#leave(name, member)));
    this.redis.disconnect();
    await Promise.all([this.#owned.destroy(), this.options.storage.close()]);
  }

  /** Starts a BullMQ worker for each queue of the service, and closes those of queues that are gone. */
  async #look(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const names = await this.redis.smembers(QUEUES);
        const own = new Set(names.filter((name) => isOfService(name, this.options.settings.baseUrl)));
        for (const name of own) await this.#join(name);
        for (const [name, member] of this.#members) {
          if (own.has(name)) continue;
          this.#members.delete(name);
          void this.#leave(name, member);
        }
      } catch (error) {
        this.#report(error);
      }
      await pause(LOOK_EVERY, signal);
    }
  }

  /** Takes pages from a queue. Its coordinator gives some to every key that was announced; Redis may have lost that. */
  async #join(name: string): Promise<void> {
    const key = this.#members.get(name)?.key ?? (await keyId(this.options.settings.key, name));
    await this.redis.sadd(keysOf(name), key);
    if (this.#members.has(name)) return;
    this.#members.set(name, { key, worker: this.#start(name, key) });
    this.options.onJoin(key);
  }

  #start(name: string, key: string): Worker {
    const { address, settings, lockDuration } = this.options;
    const worker: Worker = new this.library.Worker(pagesOf(key), (job) => this.#work(name, worker, job), {
      connection: connectionOptions(address),
      prefix: prefixOf(name),
      name: this.#name,
      concurrency: settings.concurrency,
      lockDuration,
      stalledInterval: lockDuration / 2,
      maxStalledCount: MAX_LOST,
      runRetryDelay: 500,
    });
    worker.on("error", (error) => this.#report(error));
    return worker;
  }

  /** Finishes the pages of a queue. What a check for lost pages writes after the end of the queue is removed again. */
  async #leave(name: string, { worker, key }: Member): Promise<void> {
    try {
      await worker.close();
      const of = (part: string) => `${prefixOf(name)}:${pagesOf(key)}:${part}`;
      // The counter of jobs goes when the coordinator removes the queue.
      const isOver = (await this.redis.sismember(QUEUES, name)) === 0 && (await this.redis.exists(of("id"))) === 0;
      if (isOver) await this.redis.del(of("meta"), of("stalled-check"), keysOf(name));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Fetches the page of a job. Throws the result if another attempt may succeed, so that the job fails and can be retried. */
  async #work(name: string, worker: Worker, job: Job): Promise<PageResult> {
    const { settings } = this.options;
    const url = jobUrl(job.data, settings.baseUrl);
    this.#active++;
    try {
      const fetched: FetchedPage =
        url === undefined
          ? { headers: {}, failure: { kind: "refused job" } }
          : await fetchPage(url, { dispatcher: this.#owned.dispatcher, settings });
      const { body, ...result } = fetched;
      if (result.redactions !== undefined) this.#warnOfKey();
      if (result.status === 429) await worker.rateLimit(1000 * pauseOf(result.headers));
      const stored = await this.#store(name, body);
      const all: PageResult = { ...result, ...stored, starts: job.attemptsStarted };
      if (isFailed(all)) throw failedJob(all);
      this.pages++;
      return all;
    } finally {
      this.#active--;
    }
  }

  /** Puts a body into the storage. A worker that cannot has not fetched the page; its operator has to know. */
  async #store(name: string, body: Buffer | undefined): Promise<Pick<PageResult, "body" | "failure">> {
    if (body === undefined) return {};
    try {
      return { body: await this.options.storage.store(name, body) };
    } catch (error) {
      this.#report(error);
      return { failure: { kind: "connection", code: "STORAGE_FAILED" } };
    }
  }

  /** Once: a key that is an ordinary word is in many pages. */
  #warnOfKey(): void {
    if (!this.#hasWarnedOfKey) this.#report(new Error(REDACTED));
    this.#hasWarnedOfKey = true;
  }

  #report(error: unknown): void {
    if (!this.#stop.signal.aborted) this.options.onProblem((error as Error).message);
  }
}

/** Seconds that all workers pause after a 429. */
function pauseOf(headers: Readonly<Record<string, string>>): number {
  const now = Date.now();
  const seconds = parseRetryAfter(headers["retry-after"], parseHttpDate(headers.date ?? "", now) ?? now) ?? PAUSE;
  return Math.min(Math.max(seconds, 0.01), MAX_PAUSE);
}

/** BullMQ keeps message and stack. */
function failedJob(result: PageResult): Error {
  const error = new Error(JSON.stringify(result));
  error.stack = "";
  return error;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

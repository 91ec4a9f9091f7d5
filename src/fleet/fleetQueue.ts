import { createHash } from "node:crypto";
import type { Queue } from "bullmq";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import type { FleetStorage } from "./bucketStorage.js";
import type { Connection } from "./connection.js";

/** The Redis set of the queues that workers may join. */
export const QUEUES = "archive-frames:queues";
/** The name of BullMQ's queue, below the prefix of a corpus. */
export const WINDOWS = "windows";
/** Seconds until a queue without a coordinator is forgotten. */
const EXPIRES = 86_400;
/** Largest window or journal that is read from the storage. */
export const MAX_FILE_BYTES = 2 ** 31;
/** Keys that expire within seconds anyway: locks of windows, BullMQ's check for lost jobs, and the plan of a coordinator. */
const SHORT_LIVED = /:(?:lock|stalled-check|plan)$/;

/** Identifies a service: the first digits of the hash of its address. */
export function serviceOf(baseUrl: string): string {
  return createHash("sha256").update(baseUrl).digest("hex").slice(0, 8);
}

/** Whether a queue belongs to a service. An attacker with write access to Redis can invent queue names. */
export function isOfService(name: string, baseUrl: string): boolean {
  return /^[\da-f]{16}-[\da-f]{8}$/.test(name) && name.endsWith(`-${serviceOf(baseUrl)}`);
}

/** The queue of a corpus: BullMQ's queue, the keys beside it in Redis, and the files in the storage. */
export class FleetQueue {
  readonly prefix: string;
  /** The key with version and probe of a running coordinator. It also keeps other coordinators out. */
  readonly plan: string;
  /** The key with the limit of requests, and how many each process has sent. */
  readonly sent: string;
  /** The key that exists for a minute after a queue was removed, to tell that from a queue that Redis has lost. */
  readonly closed: string;
  readonly jobs: Queue;

  constructor(
    readonly connection: Connection,
    readonly name: string,
    readonly storage?: FleetStorage,
  ) {
    const { redis, bullmq } = connection;
    this.prefix = `archive-frames:${name}`;
    [this.plan, this.sent] = [`${this.prefix}:plan`, `${this.prefix}:sent`];
    this.closed = `archive-frames:closed:${name}`;
    const streams = { events: { maxLen: 10 } };
    this.jobs = new bullmq.Queue(WINDOWS, { connection: redis, prefix: this.prefix, streams, skipMetasUpdate: true });
    this.jobs.on("error", () => undefined);
  }

  /** Whether the queue exists: its coordinator has not closed it, and it has not expired. */
  async exists(): Promise<boolean> {
    return (await this.connection.redis.exists(this.sent)) === 1;
  }

  /** The workers that take windows: the ids of their keys by the ids of the workers. */
  async workers(): Promise<Map<string, string>> {
    const names = (await this.jobs.getWorkers()).map(({ rawname }) =>
      /:w:([\da-f]{8})-([\da-f]{4})$/.exec(rawname ?? ""),
    );
    return new Map(names.flatMap((found) => (found === null ? [] : [[found[1] as string, found[2] as string]])));
  }

  async #keys(): Promise<string[]> {
    const keys: string[] = [];
    const scan = this.connection.redis.scanStream({ match: `${this.prefix}:*`, count: 1000 });
    for await (const some of scan) keys.push(...some);
    return keys;
  }

  /** Lets the queue expire in a day. @param only "NX" for keys that have no expiry yet */
  async expire(...only: [] | ["NX"]): Promise<void> {
    const pipeline = this.connection.redis.pipeline();
    for (const key of await this.#keys()) if (!SHORT_LIVED.test(key)) pipeline.call("EXPIRE", key, EXPIRES, ...only);
    await pipeline.exec();
  }

  /** Removes the queue from Redis. */
  async remove(): Promise<void> {
    const { redis } = this.connection;
    await redis.multi().set(this.closed, 1, "EX", 60).srem(QUEUES, this.name).exec();
    // Without this key nobody sends a request.
    await redis.unlink(this.sent);
    const keys = await this.#keys();
    if (keys.length > 0) await redis.unlink(...keys);
  }

  async put(file: string, content: string | Uint8Array): Promise<void> {
    await this.storage?.put(`${this.name}/${file}`, content);
  }

  async read(file: string, maxBytes: number): Promise<Buffer | undefined> {
    return this.storage?.read(`${this.name}/${file}`, maxBytes);
  }

  async removeFile(file: string): Promise<void> {
    await this.storage?.remove(`${this.name}/${file}`);
  }

  /** Removes the files of the queue from the storage: the probe, and a window or a journal for each job. */
  async removeFiles(): Promise<void> {
    const ids = (await this.jobs.getJobs())
      .flatMap((job) => job?.id ?? [])
      .filter((id) => /^[\da-f]{16}-\d+-\d+$/.test(id));
    for (const file of ["probe", ...ids.flatMap((id) => [windowFile(id), journalFile(id)])])
      await this.removeFile(file);
  }
}

/** The files of a job in the storage: its window, or the journal of an unfinished one. */
export const windowFile = (job: string): string => `${job}.window`;
export const journalFile = (job: string): string => `${job}.journal`;

/** The name of the queue of a corpus, from its `work/queue`. A restarted coordinator continues that queue. Undefined if there is none. */
export function queueName(corpus: string): string | undefined {
  try {
    return /^([\da-f]{16}-[\da-f]{8})\n$/.exec(readReceivedFile(corpus, "work/queue", 100).toString())?.[1];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

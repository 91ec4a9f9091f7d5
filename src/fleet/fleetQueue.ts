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
/** Of a window or a journal in the storage. */
export const MAX_FILE_BYTES = 2 ** 31;
/** They expire within seconds: locks of windows, BullMQ's time of the next look for lost ones, and the plan of a coordinator. */
const SHORT_LIVED = /:(?:lock|stalled-check|plan)$/;

/** The first digits of the hash of an address. */
export function serviceOf(baseUrl: string): string {
  return createHash("sha256").update(baseUrl).digest("hex").slice(0, 8);
}

/** Whether a queue belongs to a service. Whoever can write to Redis can add other names. */
export function isOfService(name: string, baseUrl: string): boolean {
  return /^[\da-f]{16}-[\da-f]{8}$/.test(name) && name.endsWith(`-${serviceOf(baseUrl)}`);
}

/** The queue of a corpus: BullMQ's, what is beside it in Redis, and its part of the storage. */
export class FleetQueue {
  readonly prefix: string;
  /** What a living coordinator says about itself. It is its lock, too. */
  readonly plan: string;
  /** How many requests may be sent, and how many each process has sent. */
  readonly sent: string;
  /** For a minute: it was removed, and not lost. */
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

  /** Whether it exists: a coordinator that has closed it, or a day, has removed it. */
  async exists(): Promise<boolean> {
    return (await this.connection.redis.exists(this.sent)) === 1;
  }

  /** The workers that take windows, by the names that they have for BullMQ: the ids of their keys by their own ids. */
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

  /** Lets it expire in a day. @param only "NX": what does not expire yet */
  async expire(...only: [] | ["NX"]): Promise<void> {
    const pipeline = this.connection.redis.pipeline();
    for (const key of await this.#keys()) if (!SHORT_LIVED.test(key)) pipeline.call("EXPIRE", key, EXPIRES, ...only);
    await pipeline.exec();
  }

  /** Removes it from Redis. */
  async remove(): Promise<void> {
    const { redis } = this.connection;
    await redis.multi().set(this.closed, 1, "EX", 60).srem(QUEUES, this.name).exec();
    // From here on nobody sends a request.
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

  /** Removes its files from the storage: there is a window, or a journal, for each job at most. */
  async removeFiles(): Promise<void> {
    const ids = (await this.jobs.getJobs())
      .flatMap((job) => job?.id ?? [])
      .filter((id) => /^[\da-f]{16}-\d+$/.test(id));
    for (const file of ["probe", ...ids.flatMap((id) => [windowFile(id), journalFile(id)])])
      await this.removeFile(file);
  }
}

/** Where a worker puts the window of a job, or the journal of one that is not finished. */
export const windowFile = (job: string): string => `${job}.window`;
export const journalFile = (job: string): string => `${job}.journal`;

/** The name of the queue of a corpus, which a coordinator that is started again finds in `work/`; undefined if there is none. */
export function queueName(corpus: string): string | undefined {
  try {
    return /^([\da-f]{16}-[\da-f]{8})\n$/.exec(readReceivedFile(corpus, "work/queue", 100).toString())?.[1];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

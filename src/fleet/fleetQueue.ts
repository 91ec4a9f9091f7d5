import { gunzipSync, gzipSync } from "node:zlib";
import type { Queue } from "bullmq";
import { type Window, windowOf } from "../corpus/definition/windows.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { sha256Of } from "../util/sha256Of.js";
import type { Connection } from "./connection.js";
import type { FleetStorage } from "./storage.js";

/** The Redis set of the queues that workers may join. */
export const QUEUES = "archive-frames:queues";
/** The name of BullMQ's queue, below the prefix of a corpus. */
export const WINDOWS = "windows";
/** The plan of a queue for a minute after it was removed, to tell that apart from a queue that Redis lost. */
export const CLOSED = "closed";
/** Seconds until a queue without a coordinator is forgotten, and until the report of a worker that does not fit is. */
const EXPIRES = 86_400;
const MISFIT_EXPIRES = 600;
/** Milliseconds until the plan of a killed coordinator expires. */
const PLAN_EXPIRES = 10_000;
/** Largest journal that is read from the storage. */
const MAX_FILE_BYTES = 2 ** 31;
/** Keys that expire by themselves: locks of windows, BullMQ's check for lost jobs, and workers that do not fit. */
const SHORT_LIVED = /:(?:lock|stalled-check|misfits)$/;
const JOB = /:([\da-f]{16}-\d+-\d+)$/;
/** The file that workers compare before they take windows. */
export const PROBE = "probe";

/**
 * Why a worker takes no windows of a coordinator: it has another storage or version, or cannot read or write the storage, or its key was
 * rejected when it started or later, or the quota of its key is used up.
 */
export type Misfit = "storage" | "unusable" | "version" | "key" | "rejected" | "quota";

export function serviceOf(baseUrl: string): string {
  return sha256Of(baseUrl).slice(0, 8);
}

/** Seconds until checks are forgotten that no build has recorded. */
const CHECKS_EXPIRE = 86_400;
const checksKey = (service: string) => `archive-frames:checks:${service}`;

/** Remembers that a worker has checked its key, which takes a request, until a build records it. */
export async function addCheck({ redis }: Connection, baseUrl: string, worker: string): Promise<void> {
  const key = checksKey(serviceOf(baseUrl));
  await redis.multi().sadd(key, worker).expire(key, CHECKS_EXPIRE).exec();
}

/** The queues of a service. An attacker with write access to Redis can invent queue names. */
export async function queuesOf({ redis }: Connection, baseUrl: string): Promise<string[]> {
  const names = await redis.smembers(QUEUES);
  return names.filter((name) => /^[\da-f]{16}-[\da-f]{8}$/.test(name) && name.endsWith(serviceOf(baseUrl)));
}

/** The queue of a corpus: BullMQ's queue, the keys beside it in Redis, and the files in the storage. */
export class FleetQueue {
  readonly prefix: string;
  readonly #plan: string;
  readonly jobs: Queue;

  constructor(
    readonly connection: Connection,
    readonly name: string,
    readonly storage?: FleetStorage,
  ) {
    const { redis, bullmq } = connection;
    [this.prefix, this.#plan] = [`archive-frames:${name}`, `archive-frames:plan:${name}`];
    // BullMQ prints what the server says about its version.
    const quiet = { streams: { events: { maxLen: 10 } }, skipMetasUpdate: true, skipVersionCheck: true };
    this.jobs = new bullmq.Queue(WINDOWS, { connection: redis, prefix: this.prefix, ...quiet });
    this.jobs.on("error", () => undefined);
  }

  /** A key beside those of BullMQ: the limit of requests, how many each process has sent, and workers that do not fit. */
  key(name: "run" | "sent" | "misfits"): string {
    return `${this.prefix}:${name}`;
  }

  /** What a running coordinator announces: its version and the hash of its probe. {@link CLOSED} after `remove()`, null if it was killed. */
  plan(): Promise<string | null> {
    return this.connection.redis.get(this.#plan).catch(() => null);
  }

  async announce(plan: string): Promise<void> {
    await this.connection.redis.multi().set(this.#plan, plan, "PX", PLAN_EXPIRES).sadd(QUEUES, this.name).exec();
  }

  /** How many keys were checked that no build has recorded: whoever asks records them. */
  async takeChecks(): Promise<number> {
    return (await this.connection.redis.spop(checksKey(this.name.slice(-8)), 10_000)).length;
  }

  /** How many workers take windows. */
  async workers(): Promise<number> {
    const names = (await this.jobs.getWorkers()).map(({ rawname }) => /:w:([\da-f]{8})$/.exec(rawname ?? "")?.[1]);
    return new Set(names.filter((name) => name !== undefined)).size;
  }

  /** Reports that a worker does not fit, for the coordinator. @param seconds until its quota is refilled */
  async reportMisfit(worker: string, why: Misfit, seconds = 0): Promise<void> {
    const { redis } = this.connection;
    const said = `${why} ${Math.ceil(seconds)}`;
    await redis.multi().hset(this.key("misfits"), worker, said).expire(this.key("misfits"), MISFIT_EXPIRES).exec();
  }

  /** Why workers do not fit, with the seconds. */
  async misfitsFound(): Promise<Map<Misfit, number>> {
    const reports = (await this.connection.redis.hvals(this.key("misfits"))).map((report) =>
      /^(storage|unusable|version|key|rejected|quota) (\d{1,9})$/.exec(report),
    );
    return new Map(reports.flatMap((found) => (found === null ? [] : [[found[1] as Misfit, Number(found[2])]])));
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

  /** Removes everything from Redis as if Redis had lost it. @returns the keys */
  async reset(): Promise<string[]> {
    const keys = await this.#keys();
    if (keys.length > 0) await this.connection.redis.unlink(...keys);
    return keys;
  }

  /** Removes the queue from Redis, and its files from the storage: the probe, and the journals of jobs. @returns whether there was one */
  async remove(): Promise<boolean> {
    const closing = this.connection.redis.multi().set(this.#plan, CLOSED, "EX", 60).srem(QUEUES, this.name);
    // A server without memory sets nothing, and the plan expires.
    await closing.exec().catch(() => undefined);
    // Without the run nobody sends a request.
    const keys = await this.reset();
    for (const id of new Set([PROBE, ...keys.flatMap((key) => JOB.exec(key)?.[1] ?? [])])) await this.discard(id);
    return keys.length > 0;
  }

  /** Puts the journal of a job into the storage. */
  async put(id: string, content: Uint8Array): Promise<void> {
    await this.storage?.put(this.#file(id), gzipSync(content, { level: 1 }));
  }

  /** The journal of a job. Undefined if there is none, or if it is damaged. */
  async journal(id: string): Promise<Buffer | undefined> {
    const content = await this.storage?.read(this.#file(id), MAX_FILE_BYTES);
    try {
      return content && gunzipSync(content, { maxOutputLength: MAX_FILE_BYTES });
    } catch {
      return undefined;
    }
  }

  /** Whether a coordinator will take the journal of a job: it has not removed the job, or Redis has lost it with the run. */
  async wants(id: string): Promise<boolean> {
    if ((await this.plan()) === CLOSED) return false;
    const { redis } = this.connection;
    return (await redis.exists(this.jobs.toKey(id))) === 1 || (await redis.exists(this.key("run"))) === 0;
  }

  async discard(id: string): Promise<void> {
    await this.storage?.remove(this.#file(id));
  }

  #file(id: string): string {
    return `${this.name}/${id}.journal.gz`;
  }
}

/** The name of the queue of a corpus, from its `work/queue`. A restarted coordinator continues that queue. Undefined if there is none. */
export function queueName(corpus: string): string | undefined {
  try {
    return /^([\da-f]{16}-[\da-f]{8})\n$/.exec(readReceivedFile(corpus, "work/queue", 100).toString())?.[1];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A window as a job. Redis is not trusted: `windowOfJob` checks what comes out of it. */
export interface WindowJob {
  readonly parameters: Readonly<Record<string, string>>;
  readonly mindate?: string | undefined;
  readonly maxdate?: string | undefined;
  readonly round: number;
  /** See `FetchOptions.reading`. */
  readonly reading: number;
  readonly pageSize?: number | undefined;
  readonly confirmEnd?: boolean | undefined;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;

export const jobId = ({ key }: Pick<Window, "key">, round: number, reading: number): string =>
  `${key}-${round}-${reading}`;

/** The window of a job. Undefined if the job is not valid. */
export function windowOfJob(id: string | undefined, job: unknown): Window | undefined {
  try {
    const { parameters, mindate, maxdate, round, reading, pageSize } = job as WindowJob;
    if (![round, reading, pageSize ?? 1].every(isCount)) return undefined;
    const window = windowOf({ id: "", parameters, labels: {} }, "", mindate, maxdate);
    return id === jobId(window, round, reading) ? window : undefined;
  } catch {
    return undefined;
  }
}

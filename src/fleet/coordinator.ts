import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { ResolvedOptions } from "../service/http/options.js";
import type { BodyStorage } from "./bodyStorage.js";
import { connect, queueError } from "./connection.js";
import { coordinatorLock } from "./coordinatorLock.js";
import { corpusWindows } from "./corpusWindows.js";
import { KEY_ID } from "./keyId.js";
import { PageQueue } from "./pageQueue.js";
import type { StoredBody } from "./pageResult.js";
import type { QueueAddress } from "./queueAddress.js";
import { QueueDispatcher } from "./queueDispatcher.js";
import type { QueueLibrary } from "./queueLibrary.js";
import { keysOf, prefixOf, progressOf, QUEUES, queueName } from "./queueNames.js";
import { WorkerPool } from "./workerPool.js";
import { WorkerPools } from "./workerPools.js";

/** Milliseconds between two reports of progress. */
const REPORT_EVERY = 1000;
/** Milliseconds that a body is kept after it was read: another job may have the same one. */
const KEEP_BODY = 60_000;

/** What a coordinator needs. */
export interface CoordinatorOptions {
  readonly address: QueueAddress;
  readonly library: QueueLibrary;
  /** The directory of the corpus. */
  readonly corpus: string;
  readonly baseUrl: string;
  readonly storage: BodyStorage;
  readonly keepBodies: boolean;
}

/** The coordinator of a corpus: owns its queue, one part for each key, from the first request to the end. */
export class Coordinator {
  readonly #began = Date.now();
  /** The files of bodies that were read, in order, and when. */
  readonly #bodies = new Map<string, number>();
  readonly #pools = new Map<string, { readonly pages: PageQueue; readonly pool: WorkerPool }>();
  #redis: Redis | undefined;
  #name: string | undefined;
  #unlock: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly options: CoordinatorOptions) {}

  /** @throws ArchiveError `QUEUE_FAILED` */
  async connect(): Promise<void> {
    const { address, library } = this.options;
    this.#redis = await connect(address, library);
  }

  /** What sends the requests of the client. It opens the queue at the first one. */
  pools(settings: ResolvedOptions): WorkerPools {
    const start = `Start one with the same service (ARCHIVE_BASE_URL): archive-frames work --queue ${this.options.address.shown}`;
    return new WorkerPools(settings, { open: () => this.#open(), find: () => this.#find(settings), start });
  }

  /** Removes from Redis and from the storage what was put there. Jobs that failed for good stay for `retry`. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const [redis, name] = [this.#redis, this.#name];
    try {
      if (name === undefined || redis === undefined) return;
      const queues = [...this.#pools.values()].map(({ pages }) => pages);
      const failed = await Promise.all(queues.map((pages) => pages.hasFailed()));
      if (!failed.includes(true)) await redis.srem(QUEUES, name);
      const areEmpty = await Promise.all(queues.map((pages) => pages.close()));
      await this.#removeBodies(name, Number.POSITIVE_INFINITY);
      if (areEmpty.includes(false)) return;
      await redis.del(keysOf(name), progressOf(name));
      if (!this.options.keepBodies) await this.options.storage.clear(name);
      rmSync(idFile(this.options.corpus), { force: true });
    } finally {
      await this.#unlock?.().catch(() => undefined);
      redis?.disconnect();
      await this.options.storage.close();
    }
  }

  /** @throws FileError `TARGET_BUSY` if another coordinator works on the corpus; ArchiveError `QUEUE_FAILED` */
  async #open(): Promise<void> {
    const { address, corpus, baseUrl } = this.options;
    const redis = this.#redis as Redis;
    try {
      const name = queueName(corpusId(corpus), baseUrl);
      this.#unlock = await coordinatorLock(redis, `${prefixOf(name)}:coordinator`, corpus);
      this.#name = name;
      await redis.sadd(QUEUES, name);
      const { done } = await corpusWindows(corpus);
      await redis.hset(progressOf(name), { windows: done });
      this.#timer = setInterval(() => this.#report(redis, name), REPORT_EVERY);
      this.#timer.unref();
    } catch (error) {
      throw queueError(address, error);
    }
  }

  /** The pools of the keys that workers have announced, now or to a coordinator that was killed. */
  async #find(settings: ResolvedOptions): Promise<readonly WorkerPool[]> {
    const { address, library, storage, baseUrl } = this.options;
    const { maxBodyBytes } = settings;
    const [redis, name] = [this.#redis as Redis, this.#name as string];
    try {
      for (const keyId of await redis.smembers(keysOf(name))) {
        if (!KEY_ID.test(keyId) || this.#pools.has(keyId)) continue;
        const pages = await PageQueue.open({ address, redis, library, name, keyId });
        const read = async (body: StoredBody, limit: number) => {
          const bytes = await storage.read(name, body, limit);
          this.#bodies.set(body.file, Date.now());
          return bytes;
        };
        const session = new QueueDispatcher({ baseUrl, maxBodyBytes, pages, read });
        this.#pools.set(keyId, { pages, pool: new WorkerPool(settings, { keyId, queue: pages, session }) });
      }
      return [...this.#pools.values()].map(({ pool }) => pool);
    } catch (error) {
      throw queueError(address, error);
    }
  }

  /** For `corpus status`; and Redis may have lost everything. */
  #report(redis: Redis, name: string): void {
    this.#removeBodies(name, Date.now() - KEEP_BODY).catch(() => undefined);
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const counts = [...this.#pools].flatMap(([key, { pages }]) => {
      const { received, refused } = pages.counts;
      return [`received:${key}`, received, `refused:${key}`, refused];
    });
    const progress = redis.hset(progressOf(name), "seconds", seconds, ...counts);
    Promise.all([progress, redis.sadd(QUEUES, name)]).catch(() => undefined);
  }

  /** Removes bodies that were read before a time. */
  async #removeBodies(name: string, before: number): Promise<void> {
    if (this.options.keepBodies) return;
    const old: string[] = [];
    for (const [file, readAt] of this.#bodies) {
      if (readAt > before) break;
      this.#bodies.delete(file);
      old.push(file);
    }
    await this.options.storage.remove(name, old);
  }
}

/** The id of the queue of a corpus, which a coordinator that is started again finds in `work/`. */
export function corpusId(corpus: string): string {
  const found = readCorpusId(corpus);
  if (found !== undefined) return found;
  const id = randomBytes(8).toString("hex");
  makePrivateDirectory(join(corpus, "work"));
  writeFileAtomic(idFile(corpus), `${id}\n`, 0o600);
  return id;
}

/** The id of the queue of a corpus; undefined if there is none. */
export function readCorpusId(corpus: string): string | undefined {
  try {
    return /^([\da-f]{16})\n$/.exec(readFileSync(idFile(corpus), "latin1"))?.[1];
  } catch {
    return undefined;
  }
}

function idFile(corpus: string): string {
  return join(corpus, "work", "queue");
}

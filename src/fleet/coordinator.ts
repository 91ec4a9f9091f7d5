import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { connect, queueError } from "./connection.js";
import { coordinatorLock } from "./coordinatorLock.js";
import { corpusWindows } from "./corpusWindows.js";
import { PageQueue } from "./pageQueue.js";
import type { QueueAddress } from "./queueAddress.js";
import type { QueueLibrary } from "./queueLibrary.js";
import { prefixOf, QUEUES, queueName } from "./queueNames.js";

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
  readonly storage: string;
  readonly keepBodies: boolean;
}

/** An open queue, and the directory of its bodies. */
export interface OpenQueue {
  readonly storage: string;
  readonly pages: PageQueue;
}

/** The coordinator of a corpus: owns its queue from the first request to the end. */
export class Coordinator {
  readonly #began = Date.now();
  readonly #bodies = new Map<string, number>();
  #redis: Redis | undefined;
  #opening: Promise<OpenQueue> | undefined;
  #unlock: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly options: CoordinatorOptions) {}

  /** @throws ArchiveError `QUEUE_FAILED` */
  async connect(): Promise<void> {
    const { address, library } = this.options;
    this.#redis = await connect(address, library);
  }

  /**
   * Opens the queue, once.
   *
   * @throws FileError `TARGET_BUSY` if another coordinator works on the corpus; ArchiveError `QUEUE_FAILED`
   */
  readonly open = (): Promise<OpenQueue> => {
    this.#opening ??= this.#open();
    return this.#opening;
  };

  /** Notes that a body was read, so that it can be removed. */
  readonly onBody = (path: string): void => {
    this.#bodies.set(path, Date.now());
  };

  /** Removes from Redis and from the storage what was put there. Jobs that failed for good stay for `retry`. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const redis = this.#redis;
    try {
      const opened = await this.#opening?.catch(() => undefined);
      if (opened === undefined || redis === undefined) return;
      const name = opened.pages.options.name;
      if (!(await opened.pages.hasFailed())) await redis.srem(QUEUES, name);
      const isEmpty = await opened.pages.close();
      this.#removeBodies(Number.POSITIVE_INFINITY);
      if (!isEmpty) return;
      await redis.del(`${prefixOf(name)}:progress`);
      if (!this.options.keepBodies) rmSync(opened.storage, { recursive: true, force: true });
      rmSync(idFile(this.options.corpus), { force: true });
    } finally {
      await this.#unlock?.().catch(() => undefined);
      redis?.disconnect();
    }
  }

  async #open(): Promise<OpenQueue> {
    const { address, library, corpus, baseUrl, storage } = this.options;
    const redis = this.#redis as Redis;
    try {
      const name = queueName(corpusId(corpus), baseUrl);
      this.#unlock = await coordinatorLock(redis, `${prefixOf(name)}:coordinator`, corpus);
      const pages = await PageQueue.open({ address, redis, library, name });
      await redis.sadd(QUEUES, name);
      const { done } = await corpusWindows(corpus);
      await redis.hset(`${prefixOf(name)}:progress`, { windows: done });
      this.#timer = setInterval(() => this.#report(redis, name, pages), REPORT_EVERY);
      this.#timer.unref();
      return { storage: join(storage, name), pages };
    } catch (error) {
      throw queueError(address, error);
    }
  }

  /** For `corpus status`; and Redis may have lost everything. */
  #report(redis: Redis, name: string, { counts }: PageQueue): void {
    this.#removeBodies(Date.now() - KEEP_BODY);
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const progress = redis.hset(`${prefixOf(name)}:progress`, { ...counts, seconds });
    Promise.all([progress, redis.sadd(QUEUES, name)]).catch(() => undefined);
  }

  #removeBodies(before: number): void {
    if (this.options.keepBodies) return;
    for (const [path, readAt] of this.#bodies) {
      // In order of reading.
      if (readAt > before) return;
      rmSync(path, { force: true });
      this.#bodies.delete(path);
    }
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

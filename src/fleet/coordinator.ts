import { createHash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import type { Window } from "../corpus/definition/windows.js";
import { type FetchOptions, journalName, type Reading, type WindowFetcher } from "../corpus/run/fetchWindow.js";
import { AbortedError, ArchiveError, FileError } from "../errors/index.js";
import { warn } from "../errors/warn.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { ResolvedOptions } from "../service/http/options.js";
import type {
  ClosableRequester,
  Query,
  RequestBudget,
  RequestContext,
  ServiceResponse,
} from "../service/http/requester.js";
import { Transport } from "../service/http/transport.js";
import { systemClock } from "../util/clock.js";
import { VERSION } from "../util/version.js";
import type { FleetStorage } from "./bucketStorage.js";
import { type Connection, queueError } from "./connection.js";
import { FleetQueue, journalFile, MAX_FILE_BYTES, QUEUES, queueName, serviceOf, windowFile } from "./fleetQueue.js";
import { unpackWindow } from "./packedWindow.js";
import { SentRequests } from "./sentRequests.js";
import { SharedGate } from "./sharedGate.js";
import { errorFrom, jobId, resultOf, type WindowJob, type WindowResult } from "./windowJob.js";

/** Most windows in the queue. */
const CONCURRENCY = 1000;
/** Milliseconds between two collections of results, and how many of them make one check of the queue. */
const LOOK_EVERY = 50;
const CHECK_EVERY = 20;
/** Milliseconds until the plan of a killed coordinator expires. */
const PLAN_EXPIRES = 10_000;
/** Checks after which the expiry of the queue is renewed, and after which a warning says that there is no worker. */
const EXPIRE_AFTER = 10;
const ALONE_AFTER = 10;
/** A window fails when its files were lost this often. */
const MAX_LOST = 5;
/** Milliseconds within which a file written on another machine appears in a shared directory. */
const MAX_DELAY = 5000;

interface Pending {
  readonly job: WindowJob;
  readonly settle: (result: WindowResult | Error) => void;
}

/** Coordinates the build of a corpus: queues windows, brings what workers have fetched into the corpus, and sends lookups itself. */
export class Coordinator implements ClosableRequester {
  readonly windows: WindowFetcher = {
    concurrency: CONCURRENCY,
    fetch: (client, window, options) => this.#fetch(client, window, options),
  };
  readonly #queue: FleetQueue;
  readonly #transport: Transport;
  readonly #probe = randomBytes(32).toString("hex");
  /** What a worker compares before it takes windows. */
  readonly #plan = `${VERSION} ${createHash("sha256").update(this.#probe).digest("hex")}`;
  readonly #pending = new Map<string, Pending>();
  readonly #stop = new AbortController();
  readonly #sent: SentRequests;
  /** Ids of keys that the service rejects, or whose quota is used up. */
  readonly #failedKeys = new Set<unknown>();
  /** The current build or refresh. */
  #run: { readonly budget: RequestBudget | undefined } | undefined;
  #alone = 0;
  #opening: Promise<void> | undefined;
  #beginning: Promise<unknown> = Promise.resolve();
  #looking: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** @param key the id of the key, see `keyId` */
  constructor(
    settings: ResolvedOptions,
    readonly connection: Connection,
    /** The directory of the corpus. */
    readonly corpus: string,
    storage: FleetStorage,
    key: string,
  ) {
    const service = serviceOf(settings.baseUrl);
    const known = queueName(corpus);
    const name = known?.endsWith(service) ? known : `${randomBytes(8).toString("hex")}-${service}`;
    this.#queue = new FleetQueue(connection, name, storage);
    const gate = new SharedGate(this.#queue, "coordinator", key, settings.maxRetryWait);
    this.#transport = new Transport(settings, systemClock, Math.random, gate);
    this.#sent = new SentRequests(this.#queue, gate);
  }

  /** Sends a lookup, at the rate that the coordinator shares with the workers of its key. */
  async request(path: string, query: Query, context: RequestContext = {}): Promise<ServiceResponse> {
    await this.#begin(context.budget);
    return this.#transport.request(path, query, context);
  }

  /** Removes the queue from Redis and its files from the storage. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    for (const { settle } of this.#pending.values()) settle(new AbortedError("the fleet was closed."));
    await this.#transport.close();
    const isOpen = await this.#opening?.then(() => true).catch(() => false);
    try {
      await this.#looking;
      if (isOpen !== true) return;
      await this.#queue.removeFiles();
      await this.#queue.remove();
      rmSync(join(this.corpus, "work", "queue"), { force: true });
    } finally {
      await this.#queue.jobs.close();
      this.connection.redis.disconnect();
    }
  }

  /** @throws FileError `TARGET_BUSY` if another coordinator works on the corpus; ArchiveError `QUEUE_FAILED` */
  async #open(): Promise<void> {
    const { address, redis } = this.connection;
    const { name, plan } = this.#queue;
    try {
      makePrivateDirectory(join(this.corpus, "work"));
      writeFileAtomic(join(this.corpus, "work", "queue"), `${name}\n`, 0o600);
      // The plan of a killed coordinator expires. A running one renews it.
      let least = Number.POSITIVE_INFINITY;
      while ((await redis.set(plan, this.#plan, "PX", PLAN_EXPIRES, "NX")) === null) {
        // Redis ended after it had set the plan, and the connection repeated the command.
        if ((await redis.get(plan)) === this.#plan) break;
        const left = await redis.pttl(plan);
        if (left > least) throw busy(this.corpus);
        least = left;
        await systemClock.sleep(250, this.#stop.signal);
      }
      await this.#queue.put("probe", this.#probe);
      await this.#announce();
      this.#looking = this.#look();
    } catch (error) {
      throw queueError(address, error);
    }
  }

  async #announce(): Promise<void> {
    const { name, plan } = this.#queue;
    await this.connection.redis.multi().set(plan, this.#plan, "PX", PLAN_EXPIRES).sadd(QUEUES, name).exec();
  }

  /** Begins a run with each new budget. */
  #begin(budget: RequestBudget | undefined): Promise<unknown> {
    this.#opening ??= this.#open();
    if (this.#run === undefined || this.#run.budget !== budget) {
      this.#run = { budget };
      this.#failedKeys.clear();
      this.#beginning = Promise.all([this.#opening, this.#beginning]).then(() => this.#sent.begin(budget));
    }
    return this.#beginning;
  }

  /** Queues a window, and puts the files that a worker has fetched into `work`. */
  async #fetch(
    { output }: ClientContext,
    window: Window,
    { work, scratch, round, reading, recorder, budget, signal, confirmEnd }: FetchOptions,
  ): Promise<Reading | undefined> {
    await this.#begin(budget);
    const { search, name, mindate, maxdate } = window;
    const id = jobId(window, round, reading);
    const journal = join(work, journalName(window, reading));
    const asked = { parameters: search.parameters, name, mindate, maxdate, round, reading, confirmEnd };
    for (let lost = 0; ; ) {
      if (existsSync(journal)) await this.#queue.put(journalFile(id), readFileSync(journal));
      const result = await this.#result(id, { ...asked, pageSize: output.pageSize.chosen }, signal);
      for (let sent = 0; sent < result.requests; sent++) {
        recorder.context.onRequest();
        budget?.take();
      }
      recorder.rows = result.rows;
      recorder.pages = result.pages;
      const left = result.hasJournal === true ? await this.#read(journalFile(id)) : undefined;
      if (left !== undefined) writeFileAtomic(journal, left, 0o600);
      const packed = result.end === "landed" ? await this.#read(windowFile(id)) : undefined;
      const fetched = unpackWindow(packed, window, round, scratch);
      await this.#forget(id);
      if (fetched !== undefined) {
        recorder.end("complete");
        return fetched;
      }
      if (result.end === "capped") {
        recorder.end("capped", "maxRequests");
        return undefined;
      }
      const error = result.end === "failed" ? errorFrom(result.error ?? {}) : filesLost(this.#queue);
      const goesOn = result.end === "failed" ? await this.#hasOtherKey(error, result.key) : lost++ < MAX_LOST;
      if (!goesOn) throw error;
    }
  }

  /** Whether an error concerns only the key of one worker, and others have another key. */
  async #hasOtherKey({ code }: ArchiveError, key: string): Promise<boolean> {
    if (code !== "AUTHENTICATION" && code !== "RATE_LIMITED") return false;
    this.#failedKeys.add(key);
    return [...(await this.#queue.workers()).values()].some((other) => !this.#failedKeys.has(other));
  }

  /** Adds a job and waits for its result. */
  async #result(id: string, job: WindowJob, signal: AbortSignal | undefined): Promise<WindowResult> {
    // Windows that an earlier build left unfinished are fetched again.
    const earlier = await this.#queue.jobs.getJob(id);
    if (earlier?.finishedOn !== undefined && resultOf(earlier.returnvalue)?.end !== "landed") await earlier.remove();
    return new Promise((resolve, reject) => {
      const settle = (result: WindowResult | Error) => {
        this.#pending.delete(id);
        signal?.removeEventListener("abort", abort);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      const abort = () => {
        settle(new AbortedError("a window was not fetched: the call was stopped."));
        // A job that a worker has started cannot be removed.
        void this.#forget(id).catch(() => undefined);
      };
      if (signal?.aborted) return abort();
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(id, { job, settle });
      this.#add(id, job).catch(settle);
    });
  }

  async #add(id: string, job: WindowJob): Promise<void> {
    await this.#queue.jobs.add("window", job, { jobId: id, keepLogs: 0, stackTraceLimit: 0 });
  }

  /** Removes the files of a job, then the job. */
  async #forget(id: string): Promise<void> {
    await Promise.all([windowFile(id), journalFile(id)].map((file) => this.#queue.removeFile(file)));
    await this.#queue.jobs.remove(id);
  }

  /** Collects the results of jobs, for a restarted coordinator also those that workers finished while it was away. */
  async #collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    for (const job of await this.#queue.jobs.getJobs(["completed", "failed"])) {
      const pending = this.#pending.get(job?.id ?? "");
      const what = `the workers of a window have vanished again and again: ${pending?.job.name}.`;
      const vanished = () => new ArchiveError(what, { code: "QUEUE_FAILED", hint: "Look at their output." });
      pending?.settle(resultOf(job.returnvalue) ?? vanished());
    }
  }

  /** Adds jobs again that Redis has lost, renews what expires, and warns if there is no worker. */
  async #check(at: number): Promise<void> {
    await this.#announce();
    await this.#sent.look();
    const jobs = [...this.#pending];
    const pipeline = this.connection.redis.pipeline();
    for (const [id] of jobs) pipeline.exists(this.#queue.jobs.toKey(id));
    const found = (await pipeline.exec()) ?? [];
    for (const [place, [id, { job }]] of jobs.entries())
      if (found[place]?.[1] === 0 && this.#pending.has(id)) await this.#add(id, job);
    if (at % EXPIRE_AFTER === 1) await this.#queue.expire();
    const isAlone = jobs.length > 0 && (await this.#queue.workers()).size === 0;
    this.#alone = isAlone ? this.#alone + 1 : 0;
    if (this.#alone !== ALONE_AFTER) return;
    const { shown } = this.connection.address;
    const start = `Start one with the same service (ARCHIVE_BASE_URL), version and storage: ARCHIVE_QUEUE=${shown} archive-frames work`;
    warn("NO_WORKER", `No worker takes the windows of this build. ${start}`);
  }

  async #look(): Promise<void> {
    const { signal } = this.#stop;
    for (let at = 0; !signal.aborted; at++) {
      // While Redis is away, both fail and are tried again.
      await this.#collect().catch(() => undefined);
      if (at % CHECK_EVERY === 0) await this.#check(at / CHECK_EVERY).catch(() => undefined);
      await systemClock.sleep(LOOK_EVERY, signal).catch(() => undefined);
    }
  }

  /** Reads a file of the storage, which may appear late in a shared directory. */
  async #read(file: string): Promise<Buffer | undefined> {
    for (const until = Date.now() + MAX_DELAY; ; ) {
      const content = await this.#queue.read(file, MAX_FILE_BYTES);
      if (content !== undefined || Date.now() > until) return content;
      await systemClock.sleep(100, this.#stop.signal);
    }
  }
}

function busy(path: string): FileError {
  const hint = "One build or refresh of a corpus can run at a time. Wait for it, or stop it.";
  return new FileError(`the queue of ${path} is in use by another coordinator.`, { code: "TARGET_BUSY", hint, path });
}

function filesLost({ storage }: FleetQueue): ArchiveError {
  const hint = "Check that all workers and this process share it.";
  return new ArchiveError(`the storage at ${storage?.shown} loses files.`, { code: "QUEUE_FAILED", hint });
}

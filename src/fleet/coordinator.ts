import { createHash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job, Queue } from "bullmq";
import type { ClientContext } from "../call/clientContext.js";
import type { Window } from "../corpus/definition/windows.js";
import { type FetchOptions, journalName, type WindowFetcher } from "../corpus/raw/fetchWindow.js";
import { type FetchedWindow, landingPath, parseLanding } from "../corpus/raw/landing.js";
import { AbortedError, ArchiveError } from "../errors/index.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { ResolvedOptions } from "../service/http/options.js";
import type { ClosableRequester, RequestBudget, RequestContext, ServiceResponse } from "../service/http/requester.js";
import { Transport } from "../service/http/transport.js";
import { systemClock } from "../util/clock.js";
import { VERSION } from "../util/version.js";
import type { FleetStorage } from "./bucketStorage.js";
import {
  type Connection,
  expireQueue,
  filesOf,
  planOf,
  prefixOf,
  QUEUES,
  queueError,
  removeQueue,
  sentOf,
  serviceOf,
  WINDOWS,
  warn,
} from "./connection.js";
import { coordinatorLock } from "./coordinatorLock.js";
import { rateOf, SharedGate } from "./sharedGate.js";
import { errorFrom, resultOf, type WindowJob, type WindowResult } from "./windowJob.js";
import { presentWorkers } from "./workers.js";

/** What a coordinator needs. */
export interface CoordinatorOptions {
  readonly connection: Connection;
  /** The directory of the corpus. */
  readonly corpus: string;
  readonly storage: FleetStorage;
}

/** Windows in the queue. */
const CONCURRENCY = 1000;
/** Milliseconds between two looks for results, and between two checks of the queue. */
const LOOK_EVERY = 50;
const CHECK_EVERY = 1000;
/** Checks: until the expiry of the queue is renewed; until somebody is told that there is no worker; that living workers need to say what they have sent. */
const EXPIRE_AFTER = 10;
const ALONE_AFTER = 10;
const RESTORE_AFTER = 3;
/** A window whose files are lost this often fails. */
const MAX_LOST = 5;
const MAX_MANIFEST_BYTES = 2 ** 26;
const MAX_FILE_BYTES = 2 ** 31;
/** Milliseconds that a shared directory may show a file late. */
const MAX_DELAY = 5000;

interface Pending {
  readonly job: WindowJob;
  readonly resolve: (result: WindowResult) => void;
  readonly reject: (error: Error) => void;
}

/** The coordinator of a corpus: gives windows to workers, and brings what they have fetched into the corpus. It looks up ids itself. */
export class Coordinator implements ClosableRequester {
  readonly windows: WindowFetcher = {
    concurrency: CONCURRENCY,
    fetch: (client, window, options) => this.#fetch(client, window, options),
  };
  readonly #transport: Transport;
  readonly #gate: SharedGate;
  readonly #name: string;
  readonly #pending = new Map<string, Pending>();
  readonly #stop = new AbortController();
  /** What each worker has sent in this run, in case that Redis loses it. */
  #sent: Record<string, string> = {};
  #run: { readonly id: string; readonly budget: RequestBudget | undefined; readonly began: number } | undefined;
  #restoring = 0;
  #alone = 0;
  #opening: Promise<Queue> | undefined;
  #beginning: Promise<unknown> = Promise.resolve();
  #unlock: (() => Promise<void>) | undefined;
  #loops: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** @param key the id of the key, see `keyId` */
  constructor(
    settings: ResolvedOptions,
    readonly options: CoordinatorOptions,
    key: string,
  ) {
    const { redis } = options.connection;
    this.#name = `${queueId(options.corpus) ?? randomBytes(8).toString("hex")}-${serviceOf(settings.baseUrl)}`;
    const rate = rateOf(serviceOf(settings.baseUrl), key);
    const { maxRetryWait } = settings;
    this.#gate = new SharedGate({ redis, name: this.#name, rate, member: "coordinator", maxRetryWait });
    this.#transport = new Transport(settings, systemClock, Math.random, this.#gate);
  }

  /** A lookup, at the rate that the coordinator shares with the workers of its key. */
  async request(
    path: string,
    query: ReadonlyArray<readonly [string, string]>,
    context: RequestContext = {},
  ): Promise<ServiceResponse> {
    await this.#begin(context.budget);
    return this.#transport.request(path, query, context);
  }

  /** Removes from Redis and from the storage what was put there. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { redis } = this.options.connection;
    this.#stop.abort();
    for (const { reject } of this.#pending.values()) reject(new AbortedError("the fleet was closed."));
    await this.#transport.close();
    const queue = await this.#opening?.catch(() => undefined);
    try {
      await this.#loops;
      if (queue === undefined) return;
      await removeFiles(this.options, this.#name);
      await removeQueue(redis, this.#name);
      rmSync(join(this.options.corpus, "work", "queue"), { force: true });
      await queue.close();
    } finally {
      await this.#unlock?.().catch(() => undefined);
      redis.disconnect();
    }
  }

  /** @throws FileError `TARGET_BUSY` if another coordinator works on the corpus; ArchiveError `QUEUE_FAILED` */
  async #open(): Promise<Queue> {
    const { connection, corpus, storage } = this.options;
    const { address, library, redis } = connection;
    try {
      makePrivateDirectory(join(corpus, "work"));
      writeFileAtomic(join(corpus, "work", "queue"), `${this.#name.slice(0, 16)}\n`, 0o600);
      this.#unlock = await coordinatorLock(redis, `${prefixOf(this.#name)}:coordinator`, corpus);
      const queue = new library.Queue(WINDOWS, {
        connection: redis,
        prefix: prefixOf(this.#name),
        streams: { events: { maxLen: 10 } },
      });
      queue.on("error", () => undefined);
      const probe = randomBytes(32).toString("hex");
      await redis.sadd(filesOf(this.#name), "probe");
      await storage.put(`${this.#name}/probe`, probe);
      const plan = { version: VERSION, probe: createHash("sha256").update(probe).digest("hex") };
      await this.#announce(plan);
      this.#loops = Promise.all([
        this.#repeat(LOOK_EVERY, () => this.#collect(queue)),
        this.#repeat(CHECK_EVERY, (at) => this.#check(queue, plan, at)),
      ]);
      return queue;
    } catch (error) {
      throw queueError(address, error);
    }
  }

  async #announce(plan: Readonly<Record<string, string>>): Promise<void> {
    const { redis } = this.options.connection;
    await redis.hset(planOf(this.#name), plan);
    await redis.sadd(QUEUES, this.#name);
  }

  /** Begins a run if the budget is another one. */
  #begin(budget: RequestBudget | undefined): Promise<unknown> {
    this.#opening ??= this.#open();
    if (this.#run === undefined || this.#run.budget !== budget) {
      this.#run = { id: randomBytes(4).toString("hex"), budget, began: Date.now() };
      this.#sent = {};
      const limit = Math.min(budget?.maxRequests ?? 1e15, 1e15);
      const sent = { run: this.#run.id, limit, total: 0 };
      const { redis } = this.options.connection;
      const begin = () => redis.multi().del(sentOf(this.#name)).hset(sentOf(this.#name), sent).exec();
      this.#beginning = Promise.all([this.#opening, this.#beginning]).then(begin);
    }
    return this.#beginning;
  }

  /** Has a window fetched by a worker, and brings its files into `work`. */
  async #fetch(
    { output }: ClientContext,
    window: Window,
    { work, round, budget, signal, onPage, confirmEnd, recheck, ...options }: FetchOptions,
  ): Promise<FetchedWindow | undefined> {
    await this.#begin(budget);
    const { search, name, mindate, maxdate } = window;
    const recorder = options.recorder();
    const id = `${window.key}-${round}`;
    const journal = join(work, journalName(window));
    const asked = { parameters: search.parameters, name, mindate, maxdate, round, confirmEnd, recheck };
    const job = { ...asked, pageSize: output.pageSize };
    for (let lost = 0; ; lost++) {
      const hasJournal = await this.#sendJournal(id, journal);
      const result = await this.#result(id, { ...job, hasJournal }, signal);
      for (let sent = 0; sent < result.requests; sent++) {
        recorder.context.onRequest();
        budget?.take();
      }
      recorder.rows = result.rows;
      recorder.pages = result.pages;
      onPage?.();
      if (result.hasJournal === true) await this.#bringJournal(id, journal);
      if (result.end === "failed") throw errorFrom(result.error ?? {});
      if (result.end === "capped") {
        recorder.end("capped", "maxRequests");
        return undefined;
      }
      const fetched = await this.#bring(window, round, work);
      if (fetched !== undefined) {
        recorder.end("complete");
        return fetched;
      }
      // Otherwise a worker takes it for a landing.
      await this.#remove(landingPath({ window: window.key, round }));
      if (lost >= MAX_LOST) {
        const { shown } = this.options.storage;
        const hint = "Check that all workers and this process share it.";
        throw new ArchiveError(`the storage at ${shown} loses files.`, { code: "QUEUE_FAILED", hint });
      }
    }
  }

  /** Adds a job, and waits for its result. */
  async #result(id: string, job: WindowJob, signal: AbortSignal | undefined): Promise<WindowResult> {
    const queue = await (this.#opening as Promise<Queue>);
    // A window that an earlier build has not finished is fetched again.
    const earlier: Job | undefined = await queue.getJob(id);
    if (["failed", "capped"].includes(resultOf(earlier?.returnvalue)?.end ?? "")) await earlier?.remove();
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#pending.delete(id);
        signal?.removeEventListener("abort", abort);
      };
      const abort = () => {
        end();
        // One that a worker has begun stays.
        void queue.remove(id).catch(() => undefined);
        reject(new AbortedError("a window was not fetched: the call was stopped."));
      };
      if (signal?.aborted) return abort();
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener("abort", abort, { once: true });
      const settle =
        <T>(how: (value: T) => void) =>
        (value: T) => {
          end();
          how(value);
        };
      this.#pending.set(id, { job, resolve: settle(resolve), reject: settle(reject) });
      this.#add(queue, id, job).catch(settle(reject));
    });
  }

  async #add(queue: Queue, id: string, job: WindowJob): Promise<void> {
    // A key that is refused gives its windows to another one.
    await queue.add("window", job, { jobId: id, attempts: 100, keepLogs: 0, stackTraceLimit: 0 });
  }

  /** Takes the results of jobs. A coordinator that was killed finds what the workers have done meanwhile. */
  async #collect(queue: Queue): Promise<void> {
    if (this.#pending.size === 0) return;
    for (const job of (await queue.getJobs(["completed", "failed"])) as Array<Job | undefined>) {
      const pending = this.#pending.get(job?.id ?? "");
      if (job === undefined || pending === undefined) continue;
      // Otherwise a check adds it again before its result is taken.
      this.#pending.delete(job.id as string);
      await job.remove().catch(() => undefined);
      const result = resultOf(job.returnvalue);
      if (result !== undefined) pending.resolve(result);
      else {
        const what = `the workers of a window have vanished again and again: ${pending.job.name}.`;
        pending.reject(new ArchiveError(what, { code: "QUEUE_FAILED", hint: "Look at their output." }));
      }
    }
  }

  /** Redis may have lost everything; and `corpus status` wants to know. */
  async #check(queue: Queue, plan: Readonly<Record<string, string>>, at: number): Promise<void> {
    const { redis } = this.options.connection;
    await this.#announce(plan);
    await this.#restore();
    const jobs = [...this.#pending];
    const pipeline = redis.pipeline();
    for (const [id] of jobs) pipeline.exists(`${prefixOf(this.#name)}:${WINDOWS}:${id}`);
    const found = (await pipeline.exec()) ?? [];
    for (const [place, [id, { job }]] of jobs.entries())
      if (found[place]?.[1] === 0 && this.#pending.has(id)) await this.#add(queue, id, job);
    const isAlone = jobs.length > 0 && (await presentWorkers(redis, this.#name)).length === 0;
    this.#alone = isAlone ? this.#alone + 1 : 0;
    if (this.#alone === ALONE_AFTER) {
      const { shown } = this.options.connection.address;
      const start = `Start one with the same service (ARCHIVE_BASE_URL), version and storage: ARCHIVE_QUEUE=${shown} archive-frames work`;
      warn(`No worker takes the windows of this build. ${start}`, "NO_WORKER");
    }
    if (at % EXPIRE_AFTER === 1) await expireQueue(redis, this.#name);
  }

  /** Remembers what was sent. If Redis has lost it, nobody sends anything until all have said again what they have sent. */
  async #restore(): Promise<void> {
    if (this.#run === undefined) return;
    await this.#beginning;
    const { redis } = this.options.connection;
    const { run, limit, total: _total, ...sent } = await redis.hgetall(sentOf(this.#name));
    if (run === this.#run.id) this.#sent = { ...this.#sent, ...sent };
    if (run === this.#run.id && limit !== undefined) {
      const seconds = Math.round((Date.now() - this.#run.began) / 1000);
      await redis.hset(planOf(this.#name), { seconds });
      return;
    }
    if (run !== this.#run.id) {
      await redis.hset(sentOf(this.#name), { total: 0, run: this.#run.id });
      this.#restoring = 0;
    } else if (++this.#restoring >= RESTORE_AFTER) {
      // Living workers have said more. Of the others, what they have sent is known as of the last look.
      for (const [id, count] of Object.entries(this.#sent)) await this.#gate.say(run, id, Number(count));
      const limit = Math.min(this.#run.budget?.maxRequests ?? 1e15, 1e15);
      await redis.hset(sentOf(this.#name), { limit });
    }
  }

  async #repeat(every: number, action: (at: number) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    for (let at = 0; !signal.aborted; at++) {
      // Redis is away: later.
      await action(at).catch(() => undefined);
      await systemClock.sleep(every, signal).catch(() => undefined);
    }
  }

  /** Brings a landing; undefined if it is not there, or damaged. */
  async #bring(window: Window, round: number, work: string): Promise<FetchedWindow | undefined> {
    const landing = parseLanding(await this.#read(landingPath({ window: window.key, round }), MAX_MANIFEST_BYTES));
    if (landing === undefined || landing.window !== window.key || landing.round !== round) return undefined;
    const local = new Map<string, string>();
    for (const { path, bytes, sha256 } of landing.files) {
      const content = await this.#read(path, Math.min(bytes, MAX_FILE_BYTES));
      if (content === undefined || createHash("sha256").update(content).digest("hex") !== sha256) return undefined;
      const file = join(work, `${window.key}-${local.size}.landed`);
      writeFileSync(file, content, { mode: 0o600 });
      local.set(path, file);
    }
    for (const path of [...local.keys(), landingPath(landing)]) await this.#remove(path);
    return { landing: { ...landing, search: window.search.id, name: window.name }, local };
  }

  async #sendJournal(id: string, path: string): Promise<boolean> {
    const { storage, connection } = this.options;
    if (!existsSync(path)) return false;
    await connection.redis.sadd(filesOf(this.#name), `journals/${id}`);
    await storage.put(`${this.#name}/journals/${id}`, readFileSync(path));
    return true;
  }

  async #bringJournal(id: string, path: string): Promise<void> {
    const journal = await this.#read(`journals/${id}`, 2 ** 30);
    if (journal !== undefined) writeFileAtomic(path, journal, 0o600);
    await this.#remove(`journals/${id}`);
  }

  /** A shared directory may show a file late. */
  async #read(path: string, maxBytes: number): Promise<Buffer | undefined> {
    for (const until = Date.now() + MAX_DELAY; ; ) {
      const content = await this.options.storage.read(`${this.#name}/${path}`, maxBytes);
      if (content !== undefined || Date.now() > until) return content;
      await systemClock.sleep(100, this.#stop.signal);
    }
  }

  async #remove(path: string): Promise<void> {
    await this.options.storage.remove(`${this.#name}/${path}`);
    await this.options.connection.redis.srem(filesOf(this.#name), path);
  }
}

/** Removes the files of a queue from the storage. */
export async function removeFiles(
  { connection: { redis }, storage }: Pick<CoordinatorOptions, "connection" | "storage">,
  name: string,
): Promise<void> {
  for (const path of await redis.smembers(filesOf(name)))
    if (/^(?:probe|(?:raw|journals)\/[\w=./-]+)$/.test(path) && !path.includes(".."))
      await storage.remove(`${name}/${path}`);
}

/** The id of the queue of a corpus, which a coordinator that is started again finds in `work/`; undefined if there is none. */
export function queueId(corpus: string): string | undefined {
  try {
    return /^([\da-f]{16})\n$/.exec(readReceivedFile(corpus, "work/queue", 100).toString())?.[1];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

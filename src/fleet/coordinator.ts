import { createHash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import type { Window } from "../corpus/definition/windows.js";
import { type FetchOptions, fetchWindow, type Reading, type WindowFetcher } from "../corpus/run/fetchWindow.js";
import { AbortedError, ArchiveError, AuthenticationError, RateLimitError } from "../errors/index.js";
import { warn } from "../errors/warn.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { ResolvedOptions } from "../service/http/options.js";
import type {
  ClosableRequester,
  Query,
  RequestBudget,
  RequestContext,
  Requester,
  ServiceResponse,
} from "../service/http/requester.js";
import { Transport } from "../service/http/transport.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { systemClock } from "../util/clock.js";
import { pluralize } from "../util/counts.js";
import { VERSION } from "../util/version.js";
import type { FleetStorage } from "./bucketStorage.js";
import { type Connection, queueError } from "./connection.js";
import { FleetQueue, type Misfit, QUEUES, queueName, serviceOf } from "./fleetQueue.js";
import { SentRequests } from "./sentRequests.js";
import { SharedGate } from "./sharedGate.js";
import { jobId, type WindowJob } from "./windowJob.js";

/** Most windows in the queue. */
const CONCURRENCY = 1000;
/** Milliseconds between two collections of results, and how many of them make one check of the queue. */
const LOOK_EVERY = 50;
const CHECK_EVERY = 20;
/** Milliseconds until the plan of a killed coordinator expires. */
const PLAN_EXPIRES = 10_000;
/** Checks after which the expiry of the queue is renewed. */
const EXPIRE_AFTER = 10;
/** Seconds without a worker after which a warning says so, and after which it counts that keys have failed. */
const ALONE_AFTER = 10;
const KEYS_AFTER = 2;
/** A window is fetched by so many workers, one after the other, whose keys fail. */
const ATTEMPTS = 1000;
/** Milliseconds within which a file written on another machine appears in a shared directory. */
const MAX_DELAY = 5000;

interface Pending {
  readonly job: WindowJob;
  readonly settle: (result: boolean | Error) => void;
}

/** Coordinates the build of a corpus: queues windows, reads the journals that workers have filled, and sends lookups itself. */
export class Coordinator implements ClosableRequester {
  readonly windowFetcher: WindowFetcher = {
    concurrency: CONCURRENCY,
    fetch: (client, window, options) => this.#fetch(client, window, options),
  };
  readonly #queue: FleetQueue;
  /** Sends requests outside of a run, which need no queue, and those of a run, at the rate that it shares with the workers of its key. */
  readonly #alone: Transport;
  readonly #shared: Transport;
  readonly #probe = randomBytes(32).toString("hex");
  /** What a worker compares before it takes windows. */
  readonly #plan = `${VERSION} ${createHash("sha256").update(this.#probe).digest("hex")}`;
  readonly #pending = new Map<string, Pending>();
  readonly #stop = new AbortController();
  readonly #sent: SentRequests;
  /** The current build or refresh. */
  #run: { readonly budget: RequestBudget | undefined } | undefined;
  /** Requests of workers that windows have counted. */
  #counted = 0;
  #aloneSince: number | undefined;
  #hasWarned = false;
  #opening: Promise<void> | undefined;
  #beginning: Promise<unknown> = Promise.resolve();
  #looking: Promise<unknown> = Promise.resolve();
  /** The windows that it fetches itself. */
  #own: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /**
   * @param corpus its directory. Its database lets one process write, so it has one coordinator
   * @param key the id of the key, see `keyId`
   * @param waitWorkers seconds
   */
  constructor(
    settings: ResolvedOptions,
    readonly connection: Connection,
    readonly corpus: string,
    storage: FleetStorage,
    key: string,
    readonly waitWorkers: number,
  ) {
    const service = serviceOf(settings.baseUrl);
    const known = queueName(corpus);
    const name = known?.endsWith(service) ? known : `${randomBytes(8).toString("hex")}-${service}`;
    this.#queue = new FleetQueue(connection, name, storage);
    const gate = new SharedGate(this.#queue, "coordinator", key, settings.maxRetryWait);
    this.#alone = new Transport(settings);
    this.#shared = new Transport(settings, systemClock, Math.random, gate);
    this.#sent = new SentRequests(this.#queue, gate);
  }

  /** Requests with its key today, of all processes of this user. */
  get today(): number | undefined {
    return this.#alone.today;
  }

  /** Sends a request: in a run, those of lookups. */
  async request(path: string, query: Query, context: RequestContext = {}): Promise<ServiceResponse> {
    if (this.#run === undefined || this.#run.budget !== context.budget)
      return this.#alone.request(path, query, context);
    await this.#beginning;
    return this.#shared.request(path, query, context);
  }

  /** Removes the queue from Redis and its files from the storage. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    for (const { settle } of this.#pending.values()) settle(new AbortedError("the fleet was closed."));
    await Promise.all([this.#alone.close(), this.#shared.close()]);
    const isOpen = await this.#opening?.then(() => true).catch(() => false);
    try {
      await this.#looking;
      if (isOpen !== true) return;
      await this.#queue.remove();
      rmSync(join(this.corpus, "work", "queue"), { force: true });
    } finally {
      await this.#queue.jobs.close();
      this.connection.redis.disconnect();
    }
  }

  /** @throws ArchiveError `QUEUE_FAILED` */
  async #open(): Promise<void> {
    try {
      makePrivateDirectory(join(this.corpus, "work"));
      writeFileAtomic(join(this.corpus, "work", "queue"), `${this.#queue.name}\n`, 0o600);
      await this.#queue.putProbe(this.#probe);
      await this.#announce();
      this.#looking = this.#look();
    } catch (error) {
      throw queueError(this.connection.address, error);
    }
  }

  async #announce(): Promise<void> {
    const plan = this.#queue.key("plan");
    await this.connection.redis.multi().set(plan, this.#plan, "PX", PLAN_EXPIRES).sadd(QUEUES, this.#queue.name).exec();
  }

  /** Begins a run with each new budget. */
  #begin(budget: RequestBudget | undefined): Promise<unknown> {
    this.#opening ??= this.#open();
    if (this.#run === undefined || this.#run.budget !== budget) {
      this.#run = { budget };
      this.#beginning = Promise.all([this.#opening, this.#beginning]).then(async () => {
        await this.#sent.begin(budget?.maxRequests);
        this.#counted = await this.#sent.ofWorkers(false);
      });
    }
    return this.#beginning;
  }

  /** Queues a window, and goes on with the journal that a worker has filled. */
  async #fetch(client: ClientContext, window: Window, options: FetchOptions): Promise<Reading | undefined> {
    const { round, reading, recorder, budget, signal, confirmEnd, journals } = options;
    const journal = journals.of(window.key, reading);
    if (journal.isWhole) return fetchWindow(client, window, options);
    await this.#begin(budget);
    const { search, name, mindate, maxdate } = window;
    const id = jobId(window, round, reading);
    const asked = { parameters: search.parameters, name, mindate, maxdate, round, reading, confirmEnd };
    const job = { ...asked, pageSize: client.output.pageSize.chosen };
    if (journal.size > 0) await this.#queue.putJournal(id, journal.content());
    const hasJournal = await this.#result(id, job, signal).finally(() => this.#count(recorder, budget, signal));
    const content = hasJournal ? await this.#read(id) : undefined;
    if (content !== undefined) journals.add(content);
    await this.#forget(id);
    if (journal.isWhole) return fetchWindow(client, window, options);
    // What a worker could not fetch ends here: the budget is used up, or the service fails, and says how. One after the other, once.
    const { requester } = client;
    const once: Requester = {
      request: (path, query, context) => requester.request(path, query, { ...context, isProbe: true }),
    };
    const fetched = this.#own.then(() => fetchWindow({ ...client, requester: once }, window, options));
    this.#own = fetched.catch(() => undefined);
    return fetched;
  }

  /**
   * Counts what workers have sent since the last time, whatever it was for: a window whose worker was killed, or that Redis has lost, is
   * requested again. Nobody sends for a run that was aborted.
   */
  async #count(
    recorder: ProvenanceRecorder,
    budget: RequestBudget | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const isAborted = signal?.aborted === true || this.#stop.signal.aborted;
    const sent = await this.#sent.ofWorkers(isAborted).catch(() => this.#counted);
    const more = Math.max(0, sent - this.#counted);
    this.#counted += more;
    recorder.requests += more;
    for (let taken = 0; taken < more && budget?.take() === true; ) taken++;
  }

  /** Adds a job and waits for its end. @returns whether there is a journal */
  async #result(id: string, job: WindowJob, signal: AbortSignal | undefined): Promise<boolean> {
    // Windows that an earlier build has queued are fetched again: nothing is requested for a whole journal.
    await this.#queue.jobs.remove(id).catch(() => undefined);
    return new Promise((resolve, reject) => {
      const settle = (result: boolean | Error) => {
        this.#pending.delete(id);
        signal?.removeEventListener("abort", abort);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      const abort = () => {
        settle(new AbortedError("a window was not fetched: the call was stopped."));
        // A job that a worker has started cannot be removed, but it sends nothing more.
        if (this.#run !== undefined) void this.#sent.stop().catch(() => undefined);
        this.#run = undefined;
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
    await this.#queue.jobs.add("window", job, { jobId: id, attempts: ATTEMPTS, keepLogs: 0, stackTraceLimit: 0 });
  }

  /** Removes the journal of a job, then the job. */
  async #forget(id: string): Promise<void> {
    await this.#queue.removeJournal(id);
    await this.#queue.jobs.remove(id);
  }

  /** Removes a job that may be damaged, and that no worker has. */
  async #drop(id: string): Promise<void> {
    const { jobs } = this.#queue;
    const dropping = this.connection.redis.multi().unlink(jobs.toKey(id));
    for (const list of ["wait", "active"]) dropping.lrem(jobs.toKey(list), 0, id);
    for (const set of ["completed", "failed"]) dropping.zrem(jobs.toKey(set), id);
    await dropping.exec();
  }

  /** Collects the results of jobs, for a restarted coordinator also those that workers finished while it was away. */
  async #collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { jobs } = this.#queue;
    for (const id of await jobs.getRanges(["completed", "failed"], 0, -1)) {
      const pending = this.#pending.get(id);
      if (pending === undefined) continue;
      const [returned, failed] = await this.connection.redis.hmget(jobs.toKey(id), "returnvalue", "failedReason");
      // Otherwise Redis has just lost it.
      if (typeof (returned ?? failed) === "string") pending.settle(returned === "true");
    }
  }

  /** Adds jobs again that Redis has lost or that somebody has changed, renews what expires, and looks whether there is a worker. */
  async #check(at: number): Promise<void> {
    await this.#announce();
    await this.#sent.look();
    const jobs = [...this.#pending];
    const pipeline = this.connection.redis.pipeline();
    for (const [id] of jobs) pipeline.hget(this.#queue.jobs.toKey(id), "data");
    const found = (await pipeline.exec()) ?? [];
    for (const [place, [id, pending]] of jobs.entries()) {
      const [error, data] = found[place] ?? [];
      if (data === JSON.stringify(pending.job) || this.#pending.get(id) !== pending) continue;
      if (error || data !== null) await this.#drop(id);
      await this.#add(id, pending.job);
    }
    if (at % EXPIRE_AFTER === 1) await this.#queue.expire();
    const isAlone = this.#pending.size > 0 && (await this.#queue.workers()).size === 0;
    this.#aloneSince = isAlone ? (this.#aloneSince ?? Date.now()) : undefined;
    if (this.#aloneSince === undefined) return;
    const alone = (Date.now() - this.#aloneSince) / 1000;
    const error = await this.#noWorker(alone);
    if (error !== undefined) for (const { settle } of this.#pending.values()) settle(error);
    else if (alone >= ALONE_AFTER && !this.#hasWarned) {
      this.#hasWarned = true;
      warn("NO_WORKER", `No worker takes the windows of this build. ${this.#advice}`);
    }
  }

  get #advice(): string {
    const { shown } = this.connection.address;
    return `Start one with the same service (ARCHIVE_BASE_URL), version and storage: ARCHIVE_QUEUE=${shown} archive-frames work`;
  }

  /** Why a build without workers ends. At once if their keys have failed: others may come. */
  async #noWorker(seconds: number): Promise<ArchiveError | undefined> {
    const found = await this.#queue.misfitsFound();
    const retryAfter = found.get("quota");
    if (seconds > KEYS_AFTER && retryAfter !== undefined) {
      const hint = `Run the command again in ${retryAfter} seconds: it goes on.`;
      return new RateLimitError("the quota of all workers is used up.", { hint, retryAfter, isQuota: true });
    }
    if (seconds > KEYS_AFTER && found.has("rejected"))
      return new AuthenticationError("the service rejects the keys of all workers.", { hint: this.#advice });
    if (seconds < this.waitWorkers) return undefined;
    const texts = { storage: "another storage", version: "another version", key: "a key that the service rejects" };
    const why = Object.entries(texts).flatMap(([misfit, text]) => (found.has(misfit as Misfit) ? [text] : []));
    const others = why.length === 0 ? "" : ` There are workers with ${why.join(", and ")}.`;
    const what = `no worker has taken windows for ${pluralize(this.waitWorkers, "second")}.${others}`;
    return new ArchiveError(what, { code: "QUEUE_FAILED", hint: this.#advice });
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

  /** The journal of a job, which may appear late in a shared directory. */
  async #read(id: string): Promise<Buffer | undefined> {
    for (const until = Date.now() + MAX_DELAY; ; ) {
      const content = await this.#queue.journal(id);
      if (content !== undefined || Date.now() > until) return content;
      await systemClock.sleep(100, this.#stop.signal);
    }
  }
}

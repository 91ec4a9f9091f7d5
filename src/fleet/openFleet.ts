import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Format } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import type { ArchiveClientOptions, DecidedOutput } from "../call/clientSettings.js";
import { ArchiveClient } from "../client.js";
import type { Window } from "../corpus/definition/windows.js";
import {
  type FetchOptions,
  fetchWindow,
  type Reading,
  type SentBefore,
  type WindowFetcher,
} from "../corpus/run/fetchWindow.js";
import { ArchiveError, AuthenticationError, abortedError, RateLimitError } from "../errors/index.js";
import { positiveNumber } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import type { Engine } from "../frames/engine.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { type ResolvedOptions, resolveOptions } from "../service/http/options.js";
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
import { onAbort } from "../util/callSignal.js";
import { systemClock } from "../util/clock.js";
import { pluralize } from "../util/counts.js";
import { sha256Of } from "../util/sha256Of.js";
import { VERSION } from "../util/version.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { type Connection, connect, isDamage, keyId, queueAddress, queueError } from "./connection.js";
import { FleetQueue, jobId, type Misfit, PROBE, queueName, serviceOf, type WindowJob } from "./fleetQueue.js";
import { SentRequests, SharedGate } from "./sharedGate.js";
import { type FleetStorage, openStorage } from "./storage.js";

/** Where the processes of a fleet meet, and what they share. */
export interface FleetOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory of the corpus that the fleet builds. Its `work/queue` holds the name of the queue until `close()`. */
  corpus: string;
  /**
   * The directory or bucket (`"s3://bucket/fleet"`) that workers and the coordinator share. Default: a directory in this user's cache, which
   * serves one machine.
   */
  storage?: string | undefined;
  /** Settings of the bucket, the same as for `save`: `{ aws_region: "eu-west-1" }`. Default: the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
}

/** Options of {@link openFleet}: those of a client and those of the fleet. */
export interface OpenFleetOptions<F extends Format = Format, E extends Engine = Engine>
  extends Omit<ArchiveClientOptions<F, E>, "session">,
    FleetOptions {
  /** Seconds after which a build ends without a worker that has its version and storage, and a valid key. Default 60. */
  waitWorkers?: number | undefined;
}

/**
 * Opens a client for building a corpus with a fleet: workers ({@link startWorker}, or `archive-frames work` on other machines) fetch the
 * windows. The tables are the same, byte for byte, as those of a single process.
 *
 * The client sends lookups and all other requests itself, with its own key. They share rate and budget with the workers. `close()` removes
 * the queue from Redis and its files from the storage.
 *
 * @param options see {@link OpenFleetOptions}
 * @throws ValidationError for an invalid option; AuthenticationError without a key; ArchiveError `QUEUE_MISSING` if bullmq or ioredis is not
 *   installed, `QUEUE_FAILED` if Redis cannot be reached
 * @example
 * const archive = await openFleet({ queue: "redis://localhost:6379", corpus: "inflation/" });
 * const corpus = await openCorpus("inflation/", { archive, searches, window: "month" });
 * await corpus.build();
 * await archive.close();
 */
export async function openFleet<F extends Format = "dataframe", E extends Engine = "polars">(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  const given = withoutNulls<OpenFleetOptions<F, E>>(options);
  const { queue, corpus, storage, cloudOptions, waitWorkers = 60, ...client } = given;
  const address = queueAddress(queue);
  const { apiKey, baseUrl, allowInsecure } = client as ArchiveClientOptions;
  const id = keyId(resolveOptions({ apiKey, baseUrl, allowInsecure }));
  const dir = userPath("corpus", corpus, "inflation/");
  const wait = positiveNumber("waitWorkers", waitWorkers, 60, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    const own = client as unknown as ArchiveClientOptions<F, E> & DecidedOutput<F, E>;
    const coordinator = (settings: ResolvedOptions) => new Coordinator(settings, connection, dir, files, id, wait);
    return new ArchiveClient<F, E>(own, undefined, coordinator);
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}

const CONCURRENCY = 1000;
/** Milliseconds between two collections of results. Every twentieth also checks the queue, every two hundredth renews its expiry. */
const COLLECT_EVERY = 50;
const [CHECK_EVERY, EXPIRE_EVERY] = [20, 200];
/** Checks after which workers must have taken a window. */
const MAX_IDLE = 10;
/** Seconds without a worker before a warning, and before failed keys end the build. */
const ALONE_AFTER = 10;
const KEYS_AFTER = 2;
/** Attempts per window: a worker whose key fails uses up one. */
const ATTEMPTS = 1000;
/** Milliseconds within which a file written on another machine appears in a shared directory. */
const MAX_DELAY = 5000;

interface Pending {
  readonly job: WindowJob;
  readonly settle: (result: boolean | Error) => void;
}

/** Coordinates the build of a corpus: queues windows, reads the journals of the workers, and sends lookups itself. */
class Coordinator implements ClosableRequester {
  readonly windowFetcher: WindowFetcher = {
    concurrency: CONCURRENCY,
    fetch: (client, window, options) => this.#fetch(client, window, options),
    begin: ({ budget, signal }) => {
      if (signal !== undefined) onAbort(signal, () => this.connection.leave());
      return this.#begin(budget);
    },
    takeChecks: () => this.#queue.takeChecks().catch(() => 0),
  };
  readonly #queue: FleetQueue;
  /** Sends requests outside of a run, which need no queue; and those of a run, at the rate shared with the workers of its key. */
  readonly #alone: Transport;
  readonly #shared: Transport;
  readonly #probe = randomBytes(32);
  /** What a worker compares before it takes windows. */
  readonly #plan = `${VERSION} ${sha256Of(this.#probe)}`;
  readonly #pending = new Map<string, Pending>();
  readonly #stop = new AbortController();
  readonly #sent: SentRequests;
  #run: { readonly budget: RequestBudget | undefined } | undefined;
  #beginning: Promise<SentBefore | undefined> = Promise.resolve(undefined);
  /** Undefined until the first run. */
  #polling: Promise<void> | undefined;
  #aloneSince: number | undefined;
  /** Checks since a worker had a window. */
  #idle = 0;
  #hasWarned = false;
  /** The last window that it fetches itself. */
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
    const gate = new SharedGate(this.#queue, key, settings.maxRetryWait, "coordinator");
    this.#alone = new Transport(settings);
    this.#shared = new Transport(settings, systemClock, Math.random, gate);
    this.#sent = new SentRequests(this.#queue, gate);
  }

  /** Requests with its key today, of all processes of this user. */
  get today(): number | undefined {
    return this.#alone.today;
  }

  /** Sends a request. In a run, only lookups come here. */
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
    this.#settleAll(abortedError("the fleet was closed."));
    await Promise.all([this.#alone.close(), this.#shared.close()]);
    await this.#beginning.catch(() => undefined);
    try {
      if (this.#polling === undefined) return;
      await this.#polling;
      await this.#queue.remove();
      rmSync(join(this.corpus, "work", "queue"), { force: true });
    } catch (error) {
      // A stopped build does not wait for Redis: its queue stays, for the next one.
      if (this.connection.redis.status !== "end") throw queueError(this.connection.address, error);
    } finally {
      await this.#queue.jobs.close();
      this.connection.redis.disconnect();
    }
  }

  #settleAll(error: Error): void {
    for (const { settle } of this.#pending.values()) settle(error);
  }

  async #open(): Promise<void> {
    makePrivateDirectory(join(this.corpus, "work"));
    writeFileAtomic(join(this.corpus, "work", "queue"), `${this.#queue.name}\n`, 0o600);
    await this.#queue.put(PROBE, this.#probe);
    await this.#queue.announce(this.#plan);
    this.#polling = this.#poll();
  }

  #begin(budget: RequestBudget | undefined): Promise<SentBefore | undefined> {
    if (this.#run === undefined || this.#run.budget !== budget) {
      this.#run = { budget };
      const begin = async () => {
        await this.connection.rejoin();
        if (this.#polling === undefined) await this.#open();
        const before = await this.#sent.begin(budget?.maxRequests);
        await this.#sent.ofWorkers(false);
        return before;
      };
      this.#beginning = this.#beginning.then(begin, begin).catch((error) => {
        this.#run = undefined;
        throw queueError(this.connection.address, error);
      });
    }
    return this.#beginning;
  }

  /** Queues a window, then reads it from the journal of its worker. */
  async #fetch(client: ClientContext, window: Window, options: FetchOptions): Promise<Reading | undefined> {
    const { round, reading, recorder, budget, signal, confirmEnd, journals } = options;
    const journal = journals.of(window.key, reading);
    if (!journal.isWhole) {
      await this.#begin(budget);
      const { search, mindate, maxdate } = window;
      const asked = { parameters: search.parameters, mindate, maxdate, round, reading, confirmEnd };
      const job = { ...asked, pageSize: client.output.pageSize.chosen };
      const id = jobId(window, round, reading);
      if (journal.size > 0) await this.#queue.put(id, journal.content());
      const hasJournal = await this.#result(id, job, signal).finally(() => this.#count(recorder, budget, signal));
      const content = await this.#read(id, hasJournal ? MAX_DELAY : 0);
      if (content !== undefined) journals.add(content);
      await this.#forget(id);
    }
    if (journal.isWhole) return fetchWindow(client, window, options);
    // No worker could fetch the rest: the budget is used up or the service fails. Fetching it here, one window at a time and without
    // retries, ends with the error of the service.
    const { requester } = client;
    const once: Requester = {
      request: (path, query, context) => requester.request(path, query, { ...context, isProbe: true }),
    };
    const fetched = this.#own.then(() => fetchWindow({ ...client, requester: once }, window, options));
    this.#own = fetched.catch(() => undefined);
    return fetched;
  }

  /**
   * Records all requests that workers have sent since the last count, whatever they were for: windows whose worker was killed, or that
   * Redis lost, are requested twice. An aborted run sends none.
   */
  async #count(
    recorder: ProvenanceRecorder,
    budget: RequestBudget | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const isAborted = signal?.aborted === true || this.#stop.signal.aborted;
    if (!isAborted && this.#pending.size === 0) await this.#sent.open(0).catch(() => undefined);
    const more = await this.#sent.ofWorkers(isAborted).catch(() => 0);
    recorder.requests += more;
    for (let taken = 0; taken < more && budget?.take() === true; ) taken++;
  }

  /** Adds a job and waits for its end. @returns whether there is a journal */
  async #result(id: string, job: WindowJob, signal: AbortSignal | undefined): Promise<boolean> {
    // An earlier build may have queued the window. A complete journal needs no request.
    await this.#queue.jobs.remove(id).catch(() => undefined);
    let release: (() => void) | undefined;
    const result = new Promise<boolean>((resolve, reject) => {
      const settle = (end: boolean | Error) => (end instanceof Error ? reject(end) : resolve(end));
      this.#pending.set(id, { job, settle });
      const failed = (error: unknown) => settle(queueError(this.connection.address, error));
      // A damaged queue gets the job when it is restored.
      const add = () => this.#sent.open(1).then(() => this.#add(id, job));
      if (signal?.aborted !== true) add().catch((error) => isDamage(error) || failed(error));
      const abort = () => {
        settle(abortedError("a window was not fetched: the call was stopped."));
        // The job of a worker cannot be removed, but it sends no more requests.
        if (this.#run !== undefined) void this.#sent.stop().catch(() => undefined);
        this.#run = undefined;
        void this.#forget(id).catch(() => undefined);
      };
      release = signal && onAbort(signal, abort);
    });
    return result.finally(() => {
      this.#pending.delete(id);
      release?.();
    });
  }

  async #add(id: string, job: WindowJob): Promise<void> {
    await this.#queue.jobs.add("window", job, { jobId: id, attempts: ATTEMPTS, keepLogs: 0, stackTraceLimit: 0 });
  }

  async #forget(id: string): Promise<void> {
    await this.#queue.discard(id);
    await this.#queue.jobs.remove(id).catch(() => undefined);
  }

  /** Collects the results of jobs, including those that finished before a restart of the coordinator. */
  async #collect(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { jobs } = this.#queue;
    for (const id of await jobs.getRanges(["completed", "failed"], 0, -1)) {
      const pending = this.#pending.get(id);
      if (pending !== undefined)
        pending.settle((await this.connection.redis.hget(jobs.toKey(id), "returnvalue")) === "true");
    }
  }

  /** Adds jobs again that Redis lost or that somebody changed, and checks that there is a worker. */
  async #check(): Promise<void> {
    await this.#queue.announce(this.#plan);
    await this.#sent.refresh();
    const jobs = [...this.#pending];
    const pipeline = this.connection.redis.pipeline();
    for (const [id] of jobs) pipeline.hget(this.#queue.jobs.toKey(id), "data");
    const found = (await pipeline.exec()) ?? [];
    for (const [place, [id, pending]] of jobs.entries()) {
      const [error, data] = found[place] ?? [];
      if (data === JSON.stringify(pending.job) || this.#pending.get(id) !== pending) continue;
      if (error || data !== null) return void (await this.#queue.reset());
      await this.#add(id, pending.job);
    }
    const workers = this.#pending.size > 0 ? await this.#queue.workers() : undefined;
    const isIdle = workers !== undefined && workers > 0 && (await this.#queue.jobs.getActiveCount()) === 0;
    this.#idle = isIdle ? this.#idle + 1 : 0;
    // Somebody has changed the lists or the settings of the queue.
    if (this.#idle > MAX_IDLE) await this.#queue.reset();
    this.#aloneSince = workers === 0 ? (this.#aloneSince ?? Date.now()) : undefined;
    if (this.#aloneSince === undefined) return;
    const alone = (Date.now() - this.#aloneSince) / 1000;
    const error = await this.#workerFailure(alone);
    if (error !== undefined) this.#settleAll(error);
    else if (alone >= ALONE_AFTER && !this.#hasWarned) {
      this.#hasWarned = true;
      warn("NO_WORKER", `No worker takes the windows of this build. ${this.#advice}`);
    }
  }

  get #advice(): string {
    const { shown } = this.connection.address;
    return `Start one with the same service (ARCHIVE_BASE_URL), version and storage: ARCHIVE_QUEUE=${shown} archive-frames work`;
  }

  /** The error that ends a build without workers; undefined while it waits. */
  async #workerFailure(seconds: number): Promise<ArchiveError | undefined> {
    const found = await this.#queue.misfitsFound();
    const retryAfter = found.get("quota");
    if (seconds > KEYS_AFTER && retryAfter !== undefined) {
      const hint = `Run the command again in ${retryAfter} seconds: it goes on.`;
      return new RateLimitError("the quota of all workers is used up.", { hint, retryAfter, isQuota: true });
    }
    if (seconds > KEYS_AFTER && found.has("rejected"))
      return new AuthenticationError("the service rejects the keys of all workers.", { hint: this.#advice });
    // Their storage is that of this build, which has not tried to write to it meanwhile.
    if (seconds > KEYS_AFTER && found.has("unusable")) {
      const failure = await this.#queue.put(PROBE, this.#probe).catch((error: unknown) => error);
      if (failure instanceof ArchiveError) return failure;
    }
    if (seconds < this.waitWorkers) return undefined;
    const texts = {
      storage: "another storage",
      unusable: "a storage that they cannot read or write",
      version: "another version",
      key: "a key that the service rejects",
    };
    const why = Object.entries(texts).flatMap(([misfit, text]) => (found.has(misfit as Misfit) ? [text] : []));
    const others = why.length === 0 ? "" : ` There are workers with ${why.join(", and ")}.`;
    const what = `no worker has taken windows for ${pluralize(this.waitWorkers, "second")}.${others}`;
    return new ArchiveError(what, { code: "QUEUE_FAILED", hint: this.#advice });
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stop;
    for (let at = 0; !signal.aborted; at++) {
      try {
        await this.#collect();
        if (at % CHECK_EVERY === 0) await this.#check();
        if (at % EXPIRE_EVERY === CHECK_EVERY) await this.#queue.expire();
      } catch (error) {
        // Others say that Redis is away.
        if (isDamage(error)) await this.#queue.reset().catch(() => undefined);
      }
      await systemClock.sleep(COLLECT_EVERY, signal).catch(() => undefined);
    }
  }

  /** Reads the journal of a job, which may appear late in a shared directory. */
  async #read(id: string, maxDelay: number): Promise<Buffer | undefined> {
    for (const until = Date.now() + maxDelay; ; ) {
      const content = await this.#queue.journal(id);
      if (content !== undefined || Date.now() >= until) return content;
      await systemClock.sleep(100, this.#stop.signal);
    }
  }
}

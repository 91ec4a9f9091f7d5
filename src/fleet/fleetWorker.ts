import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { rmSync } from "node:fs";
import type { Job, Worker } from "bullmq";
import { type ClientContext, contextOf } from "../call/clientContext.js";
import { type ArchiveClient, createClient } from "../client.js";
import { fetchWindow, openJournals, PageEnds } from "../corpus/run/fetchWindow.js";
import { APIError, ArchiveError, type RateLimitError } from "../errors/index.js";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { temporaryDirectory } from "../fs/temporaryDirectory.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { PageSize } from "../service/paging/pageSize.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { systemClock } from "../util/clock.js";
import { sha256Of } from "../util/sha256Of.js";
import { VERSION } from "../util/version.js";
import { type Connection, connect, isDamage, keyId, queueAddress } from "./connection.js";
import {
  addCheck,
  CLOSED,
  FleetQueue,
  type Misfit,
  PROBE,
  QUEUES,
  queuesOf,
  WINDOWS,
  type WindowJob,
  windowOfJob,
} from "./fleetQueue.js";
import type { FleetOptions } from "./openFleet.js";
import { SharedGate } from "./sharedGate.js";
import { type FleetStorage, openStorage } from "./storage.js";

/** Milliseconds between two checks for queues. A worker leaves a queue after 20 checks without a coordinator. */
const POLL_EVERY = 500;
const MAX_MISSED = 20;
/** A window fails when its workers have vanished this often. */
const MAX_LOST = 10;
/** Seconds to pause for a storage that cannot be written, and for a used-up quota if the service names no time. */
const PAUSE = 60;

/** Options of {@link startWorker}. */
export interface WorkerOptions
  extends Pick<ClientOptions, "apiKey" | "baseUrl" | "timeout" | "allowInsecure">,
    Omit<FleetOptions, "corpus"> {
  /** Windows fetched at the same time, each with one request at a time. Default 4. */
  concurrency?: number | undefined;
  /** Seconds until another worker gets the window of a worker that has vanished. Default 10. */
  lostAfter?: number | undefined;
  /** Called with problems that concern no single window, for example a lost connection to Redis or the wrong storage. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Called when the worker starts on a corpus. */
  onJoin?: (() => void) | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** Windows fetched so far. */
  readonly windows: number;
  /** Finishes the windows in progress, takes no new ones, and disconnects. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a worker of a fleet. It fetches windows with its own key and puts them into the shared storage, for every corpus that is built at
 * this Redis server from the same service. Without one it waits.
 *
 * The worker first checks that its key works. Before it takes windows of a corpus, it checks that it shares the coordinator's storage and
 * version. If not, it reports what is wrong (`onProblem`, and to the coordinator) and takes nothing.
 *
 * @param options see {@link WorkerOptions}. The key is never written to Redis
 * @throws ValidationError; AuthenticationError if there is no key or the service refuses it; NotFoundError for a wrong address; ArchiveError `QUEUE_MISSING` or `QUEUE_FAILED`
 * @example
 * const worker = await startWorker({ queue: "redis://localhost:6379" }); // key from ARCHIVE_API_KEY
 * await worker.close();
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const { queue, storage, cloudOptions, concurrency = 4, lostAfter = 10, onProblem, onJoin, ...given } = options;
  const address = queueAddress(queue);
  const client = { ...given, concurrency: positiveInteger("concurrency", concurrency, 4) };
  const settings = resolveOptions(client);
  positiveNumber("lostAfter", lostAfter, 10, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  const id = randomBytes(4).toString("hex");
  try {
    await checkKey(settings, connection, id);
    return new QueueWorker({ connection, storage: files, settings, client, id, lostAfter, onProblem, onJoin });
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}

/** Requests a person. Any response but a refused key will do. Tells the coordinators of a refused one. */
async function checkKey(settings: ResolvedOptions, connection: Connection, worker: string): Promise<void> {
  const transport = new Transport({ ...settings, maxRetries: 0 });
  try {
    const error = await transport.request("/people/1", []).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const status = error instanceof APIError ? error.statusCode : undefined;
    // A server without memory keeps no count.
    if (error === undefined || status !== undefined)
      await addCheck(connection, settings.baseUrl, worker).catch(() => undefined);
    // A gateway refuses a wrong address with 403, too.
    if (!(error instanceof APIError && (error.code === "AUTHENTICATION" || status === 403))) return;
    for (const name of await queuesOf(connection, settings.baseUrl))
      await new FleetQueue(connection, name).reportMisfit(worker, "key");
    throw error.advise("The worker has taken no window.");
  } finally {
    await transport.close();
  }
}

/** What a worker works with. */
interface WorkerContext extends Pick<WorkerOptions, "onProblem" | "onJoin"> {
  readonly connection: Connection;
  readonly storage: FleetStorage;
  readonly settings: ResolvedOptions;
  readonly client: ClientOptions;
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly lostAfter: number;
}

interface Member {
  readonly queue: FleetQueue;
  readonly gate: SharedGate;
  readonly archive: ArchiveClient;
  /** Aborts what is in progress when the queue is removed. */
  readonly stop: AbortController;
  readonly ends: PageEnds;
  readonly worker: Worker;
}

/** Why a worker takes no windows, and until when: milliseconds since 1970. */
interface Pause {
  readonly why: Misfit;
  readonly until: number;
}

/** Its fields are private: printing the worker must not show the key. */
class QueueWorker implements FleetWorker {
  windows = 0;
  readonly #own: WorkerContext;
  readonly #serving = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #work = temporaryDirectory();
  readonly #polling: Promise<void>;
  #paused: Pause | undefined;
  #problem = "";
  #closing: Promise<void> | undefined;

  constructor(own: WorkerContext) {
    this.#own = own;
    this.#polling = this.#poll();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    this.#own.connection.leave();
    await this.#polling;
    await Promise.all(this.#serving.values());
    this.#own.connection.redis.disconnect();
    rmSync(this.#work, { recursive: true, force: true });
  }

  /** Whether it is closing, or cannot use its key or the storage. */
  get #isPaused(): boolean {
    return this.#stop.signal.aborted || Date.now() < (this.#paused?.until ?? 0);
  }

  #wait(): Promise<void> {
    return systemClock.sleep(POLL_EVERY, this.#stop.signal).catch(() => undefined);
  }

  async #poll(): Promise<void> {
    const { connection, settings } = this.#own;
    for (; !this.#stop.signal.aborted; await this.#wait()) {
      for (const name of await queuesOf(connection, settings.baseUrl).catch(() => [])) {
        if (this.#serving.has(name)) continue;
        const serving = this.#serve(name).catch(({ message }) => this.#report(message));
        this.#serving.set(
          name,
          serving.finally(() => this.#serving.delete(name)),
        );
      }
    }
  }

  /** Takes windows from a queue while it has a coordinator that this worker fits. */
  async #serve(name: string): Promise<void> {
    const { connection, storage, id } = this.#own;
    const queue = new FleetQueue(connection, name, storage);
    const plan = await queue.plan();
    // The coordinator was killed, or has just left.
    if (plan === null || plan === CLOSED) return void (await connection.redis.srem(QUEUES, name));
    if (this.#isPaused) return this.#reportPause(queue);
    const takesNone = async (why: Misfit, problem: string) => {
      await queue.reportMisfit(id, why);
      this.#report(`takes no window: ${problem}`);
    };
    const [version, probe] = plan.split(" ");
    const found = await queue.journal(PROBE).catch((error: Error) => error);
    if (version !== VERSION) await takesNone("version", `the coordinator does not have version ${VERSION}.`);
    else if (found instanceof Error) await takesNone("unusable", found.message);
    else if (found === undefined || sha256Of(found) !== probe)
      await takesNone("storage", `the storage at ${storage.shown} is not the coordinator's.`);
    else await this.#join(queue);
  }

  async #join(queue: FleetQueue): Promise<void> {
    const { connection, settings, client, id, lostAfter, onJoin } = this.#own;
    const gate = new SharedGate(queue, keyId(settings), settings.maxRetryWait);
    const transportOf = (settings: ResolvedOptions) => new Transport(settings, undefined, undefined, gate);
    const archive = createClient({ ...client, progress: false }, { transportOf });
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const worker: Worker = new connection.bullmq.Worker<WindowJob>(WINDOWS, (job) => this.#fetch(member, job), {
      connection: connection.redis,
      prefix: queue.prefix,
      name: id,
      concurrency: settings.concurrency,
      lockDuration: 1000 * lostAfter,
      stalledInterval: 500 * lostAfter,
      maxStalledCount: MAX_LOST,
      runRetryDelay: 500,
      skipVersionCheck: true,
    });
    const member = { queue, gate, archive, stop, worker, ends: new PageEnds() };
    worker.on("error", (error) => {
      if (isDamage(error)) queue.reset().catch(() => undefined);
      // Of a job that it has lost, the next worker finds the window.
      else if (!/\bjob\b/i.test(error.message)) this.#report(error.message);
    });
    onJoin?.();
    try {
      let plan: string | null = "";
      for (let missed = 0; plan !== CLOSED && missed < MAX_MISSED && !this.#isPaused; await this.#wait()) {
        await gate.report();
        plan = await queue.plan();
        // A running coordinator writes a lost plan again.
        missed = plan === null ? missed + 1 : 0;
      }
    } finally {
      let isClosed = false;
      const closing = worker.close().finally(() => {
        isClosed = true;
      });
      // It finishes its windows, unless their queue is gone: no request would pass any more.
      while (!isClosed) {
        if ((await queue.plan()) === CLOSED) stop.abort(new Error("the queue is gone"));
        await Promise.race([closing, systemClock.sleep(POLL_EVERY)]);
      }
      await archive.close();
      // BullMQ may have written after the queue was removed.
      await ((await queue.plan()) === CLOSED ? queue.remove() : queue.expire("NX"));
      await queue.jobs.close();
    }
  }

  /** Fetches the window of a job and puts its journal into the storage. @returns whether there is one */
  async #fetch(member: Member, { id = "", data }: Job<WindowJob>): Promise<boolean> {
    const { queue, stop, ends } = member;
    const window = windowOfJob(id, data);
    if (window === undefined) return false;
    const { pageSize, round, reading, confirmEnd } = data;
    const context = contextOf(member.archive);
    const { output } = context;
    const own = pageSize === undefined ? output : { ...output, pageSize: new PageSize(pageSize) };
    const client: ClientContext = { ...context, output: own };
    const recorder = new ProvenanceRecorder(window.request, client);
    const work = temporaryDirectory(this.#work);
    const journals = openJournals(client, work, round);
    try {
      // Left by the coordinator, or by a worker that was too slow to keep its lock.
      const known = await queue.journal(id);
      if (known !== undefined) journals.add(known);
      const given = { journals, scratch: work, round, reading, recorder, signal: stop.signal, confirmEnd, ends };
      const fetched = await fetchWindow(client, window, given).catch((error: Error) => error);
      const journal = journals.of(window.key, reading);
      const hasJournal = journal.size > 0;
      const lost = hasJournal && (await queue.put(id, journal.content()).catch((error: Error) => error));
      if (lost) await this.#pause(member, lost, { why: "unusable", until: Date.now() + 1000 * PAUSE });
      // Nobody else would remove it.
      if (!(await queue.wants(id))) await queue.discard(id);
      if (fetched instanceof Error) await this.#failed(member, fetched);
      else if (fetched !== undefined && recorder.requests > 0) this.windows++;
      return hasJournal;
    } finally {
      journals.close();
      rmSync(work, { recursive: true, force: true });
    }
  }

  /** Pauses the worker if its key cannot be used. The coordinator meets any other failure when it fetches the window itself. */
  async #failed(member: Member, error: Error): Promise<void> {
    const { code, retryAfter = PAUSE } = error as ArchiveError & Pick<RateLimitError, "retryAfter">;
    if (code === "AUTHENTICATION") {
      member.gate.rejected = error;
      await this.#pause(member, error, { why: "rejected", until: Number.POSITIVE_INFINITY });
    } else if (code === "RATE_LIMITED") {
      await member.gate.pause(retryAfter);
      await this.#pause(member, error, { why: "quota", until: Date.now() + 1000 * retryAfter });
    } else if (!(error instanceof ArchiveError)) this.#report(error.message);
  }

  /** @throws Error to hand the window to another worker */
  async #pause({ queue, worker }: Member, { message }: Error, paused: Pause): Promise<never> {
    this.#paused = paused;
    await worker.pause(true);
    await this.#reportPause(queue);
    this.#report(message);
    throw new Error("the worker is paused");
  }

  async #reportPause(queue: FleetQueue): Promise<void> {
    if (this.#paused === undefined) return;
    const seconds = (this.#paused.until - Date.now()) / 1000;
    if (seconds > 0) await queue.reportMisfit(this.#own.id, this.#paused.why, Number.isFinite(seconds) ? seconds : 0);
  }

  #report(problem: string): void {
    if (this.#stop.signal.aborted || problem === this.#problem) return;
    this.#problem = problem;
    this.#own.onProblem?.(problem);
  }
}

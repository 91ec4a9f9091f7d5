import { createHash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job, Worker } from "bullmq";
import { type ClientContext, contextOf } from "../call/clientContext.js";
import { ArchiveClient } from "../client.js";
import { fetchWindow, journalName, PageEnds } from "../corpus/run/fetchWindow.js";
import { ArchiveError, type RateLimitError } from "../errors/index.js";
import type { ClientOptions, ResolvedOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { PageSize } from "../service/paging/pageSize.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { systemClock } from "../util/clock.js";
import { VERSION } from "../util/version.js";
import type { FleetStorage } from "./bucketStorage.js";
import { type Connection, connectionOptions } from "./connection.js";
import { FleetQueue, isOfService, journalFile, MAX_FILE_BYTES, QUEUES, WINDOWS, windowFile } from "./fleetQueue.js";
import { packWindow, unpackWindow } from "./packedWindow.js";
import { SharedGate } from "./sharedGate.js";
import { errorJson, jobId, type WindowJob, type WindowResult, windowOf } from "./windowJob.js";

/** Milliseconds between two searches for queues, and how many of them find no coordinator before the worker leaves a queue. */
const LOOK_EVERY = 500;
const MAX_MISSED = 20;
/** A window fails when its workers have vanished this often. */
const MAX_LOST = 10;
/** Seconds to pause a key with a used-up quota if the service names no time. */
const KEY_PAUSE = 60;

/** Settings of a worker. */
export interface WorkerSettings {
  readonly client: ClientOptions;
  readonly lockDuration: number;
  /** The id of the key. */
  readonly key: string;
  readonly onProblem: (problem: string) => void;
  readonly onJoin: () => void;
}

/** A queue that a worker has joined. */
interface Member {
  readonly queue: FleetQueue;
  readonly gate: SharedGate;
  readonly archive: ArchiveClient;
  readonly stop: AbortController;
  readonly ends: PageEnds;
  readonly worker: Worker;
}

/** Fetches windows from all queues of a service. */
export class QueueWorker {
  windows = 0;
  readonly #serving = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #work = mkdtempSync(join(tmpdir(), "archive-frames-work-"));
  readonly #looking: Promise<void>;
  /** When the key may be used again: milliseconds since 1970. */
  #pausedUntil = 0;
  #problem = "";
  #closing: Promise<void> | undefined;

  constructor(
    readonly connection: Connection,
    readonly storage: FleetStorage,
    readonly settings: ResolvedOptions,
    readonly options: WorkerSettings,
  ) {
    this.#looking = this.#look();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all(this.#serving.values());
    this.connection.redis.disconnect();
    rmSync(this.#work, { recursive: true, force: true });
  }

  /** Whether it takes no windows. */
  get #isPaused(): boolean {
    return this.#stop.signal.aborted || Date.now() < this.#pausedUntil;
  }

  #wait(): Promise<void> {
    return systemClock.sleep(LOOK_EVERY, this.#stop.signal).catch(() => undefined);
  }

  /** Serves each queue of the service. */
  async #look(): Promise<void> {
    for (; !this.#stop.signal.aborted; await this.#wait()) {
      const names = await this.connection.redis.smembers(QUEUES).catch(() => []);
      for (const name of names) {
        if (!isOfService(name, this.settings.baseUrl) || this.#serving.has(name) || this.#isPaused) continue;
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
    const { redis } = this.connection;
    const queue = new FleetQueue(this.connection, name, this.storage);
    const plan = await redis.get(queue.plan);
    // The coordinator was killed.
    if (plan === null) return void (await redis.srem(QUEUES, name));
    const problem = await this.#misfit(queue, plan);
    if (problem !== undefined) return this.#report(`takes no window: ${problem}`);
    const { gate, worker, archive, stop } = this.#join(queue);
    for (let missed = 0; missed < MAX_MISSED && !this.#isPaused; missed++) {
      await gate.say();
      if ((await redis.exists(queue.closed)) === 1) break;
      // A running coordinator writes a lost plan again.
      if ((await redis.exists(queue.plan)) === 1) missed = -1;
      await this.#wait();
    }
    if (!(await queue.exists())) stop.abort(new Error("the queue is gone"));
    await worker.close();
    await archive.close();
    // BullMQ may have written after the queue was removed.
    await ((await queue.exists()) ? queue.expire("NX") : queue.remove());
    await queue.jobs.close();
  }

  /** Why this worker does not fit a coordinator; undefined if it does. */
  async #misfit(queue: FleetQueue, plan: string): Promise<string | undefined> {
    const [version, probe] = plan.split(" ");
    if (version !== VERSION) return `the coordinator does not have version ${VERSION}.`;
    const found = await queue.read("probe", 1000).catch(() => undefined);
    const isSame = found !== undefined && createHash("sha256").update(found).digest("hex") === probe;
    return isSame ? undefined : `the storage at ${this.storage.shown} is not the coordinator's.`;
  }

  #join(queue: FleetQueue): Member {
    const { address, bullmq } = this.connection;
    const { maxRetryWait, concurrency } = this.settings;
    const { key, lockDuration, client } = this.options;
    const id = randomBytes(4).toString("hex");
    const gate = new SharedGate(queue, id, key, maxRetryWait);
    const transport = (settings: ResolvedOptions) => new Transport(settings, undefined, undefined, gate);
    const archive = new ArchiveClient({ ...client, progress: false }, undefined, transport);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const worker: Worker = new bullmq.Worker<WindowJob>(WINDOWS, (job) => this.#fetch(member, job), {
      ...{ connection: connectionOptions(address), prefix: queue.prefix, name: `${id}-${key}`, concurrency },
      ...{ lockDuration, stalledInterval: lockDuration / 2, maxStalledCount: MAX_LOST, runRetryDelay: 500 },
    });
    worker.on("error", ({ message }) => this.#report(message));
    const member: Member = { queue, gate, archive, stop, worker, ends: new PageEnds() };
    this.options.onJoin();
    return member;
  }

  /** Fetches the window of a job into the storage. */
  async #fetch(member: Member, { id = "", data }: Job<WindowJob>): Promise<WindowResult> {
    const { queue, gate, stop, ends } = member;
    const { key } = this.options;
    const window = windowOf(data);
    const { pageSize, round, reading, confirmEnd } = data ?? {};
    if (window === undefined || id !== jobId(window, round, reading)) {
      const refused = new ArchiveError("a worker refused a job that no coordinator wrote.", { code: "QUEUE_FAILED" });
      return { end: "failed", requests: 0, pages: 0, rows: 0, key, error: errorJson(refused) };
    }
    const context = contextOf(member.archive);
    const { output } = context;
    const own = pageSize === undefined ? output : { ...output, pageSize: new PageSize(pageSize) };
    const client: ClientContext = { ...context, output: own };
    const recorder = new ProvenanceRecorder(window.request, client);
    const work = mkdtempSync(join(this.#work, "window-"));
    const journal = join(work, journalName(window, reading));
    const result = (end: WindowResult["end"], more: Partial<WindowResult> = {}): WindowResult => {
      const { requests, pages, rows } = recorder;
      return { end, requests, pages, rows, key, ...more };
    };
    /** Puts the journal into the storage, for whoever continues the window. */
    const unfinished = async (end: "capped" | "failed", error?: unknown) => {
      const hasJournal = existsSync(journal);
      if (hasJournal) await put(queue, journalFile(id), readFileSync(journal));
      return result(end, { hasJournal, ...(error !== undefined && { error: errorJson(error) }) });
    };
    try {
      // The budget of an earlier build may have been used up.
      gate.budget.isOver = false;
      // A worker that was too slow to keep its lock has already fetched it.
      const earlier = unpackWindow(await queue.read(windowFile(id), MAX_FILE_BYTES), window, round, work);
      if (earlier !== undefined) {
        const { requests, rows } = earlier;
        return result("landed", { requests, rows });
      }
      const before = await queue.read(journalFile(id), MAX_FILE_BYTES);
      if (before !== undefined) writeFileSync(journal, before, { mode: 0o600 });
      const given = { recorder, budget: gate.budget, signal: stop.signal, confirmEnd, ends };
      const fetched = await fetchWindow(client, window, { work, scratch: work, round, reading, ...given });
      if (fetched === undefined) return await unfinished("capped");
      await put(queue, windowFile(id), packWindow(window, round, fetched, work));
      this.windows++;
      return result("landed");
    } catch (error) {
      const { code } = error as Partial<ArchiveError>;
      if (recorder.reason === "maxRequests" || code === "OUT_OF_REQUESTS") return await unfinished("capped");
      if (code === "AUTHENTICATION" || code === "RATE_LIMITED") await this.#pause(member, error as ArchiveError);
      else if (!(error instanceof ArchiveError)) this.#report((error as Error).message);
      return await unfinished("failed", error);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }

  /** Takes no windows while the key cannot be used: a rejected one sends nothing more; for a used-up quota, provided that others go on. */
  async #pause({ gate, queue, worker }: Member, error: ArchiveError): Promise<void> {
    const { code, message, retryAfter = KEY_PAUSE } = error as ArchiveError & Pick<RateLimitError, "retryAfter">;
    if (code === "AUTHENTICATION") {
      gate.rejected = error;
      this.#pausedUntil = Number.POSITIVE_INFINITY;
    } else {
      await gate.pause(retryAfter);
      const keys = await queue.workers();
      if ([...keys.values()].every((other) => other === this.options.key)) return;
      this.#pausedUntil = Date.now() + 1000 * retryAfter;
    }
    await worker.pause(true);
    this.#report(message);
  }

  #report(problem: string): void {
    if (this.#stop.signal.aborted || problem === this.#problem) return;
    this.#problem = problem;
    this.options.onProblem(problem);
  }
}

/** Puts a file into the storage, unless the queue is gone and nobody would remove the file. */
async function put(queue: FleetQueue, file: string, content: Uint8Array): Promise<void> {
  await queue.put(file, content);
  if (!(await queue.exists())) await queue.removeFile(file);
}

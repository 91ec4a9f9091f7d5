import { createHash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Job, Worker } from "bullmq";
import { type ClientContext, contextOf } from "../call/clientContext.js";
import { ArchiveClient } from "../client.js";
import { fetchWindow, journalName, PageEnds } from "../corpus/raw/fetchWindow.js";
import { landingPath, landWindow, parseLanding } from "../corpus/raw/landing.js";
import type { CorpusStorage } from "../corpus/raw/storage.js";
import { ArchiveError, AuthenticationError, type RateLimitError } from "../errors/index.js";
import { positiveInteger, positiveNumber } from "../errors/validators.js";
import { type ClientOptions, type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { Transport } from "../service/http/transport.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { systemClock } from "../util/clock.js";
import { VERSION } from "../util/version.js";
import type { FleetStorage } from "./bucketStorage.js";
import {
  type Connection,
  closedOf,
  connect,
  connectionOptions,
  expireQueue,
  filesOf,
  isOfService,
  keyId,
  planOf,
  prefixOf,
  QUEUES,
  removeQueue,
  serviceOf,
  WINDOWS,
} from "./connection.js";
import { queueAddress } from "./queueAddress.js";
import { rateOf, SharedGate } from "./sharedGate.js";
import { openStorage } from "./storage.js";
import { errorJson, type WindowJob, type WindowResult, windowOf } from "./windowJob.js";
import { announce, type PresentWorker, presentWorkers, withdraw } from "./workers.js";

/** Options of {@link startWorker}. */
export interface WorkerOptions extends Pick<ClientOptions, "apiKey" | "baseUrl" | "timeout" | "allowInsecure"> {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory, or the bucket (`"s3://bucket/fleet"`), that workers and coordinator share. Default: a directory of this user. */
  storage?: string | undefined;
  /** Settings of the bucket, as of `save`: `{ aws_region: "eu-west-1" }`. Default: those of the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
  /** Windows in parallel, each with one request at a time. Default 4. */
  concurrency?: number | undefined;
  /** Seconds until the window of a worker that vanished is given to another one. Default 10. */
  lostAfter?: number | undefined;
  /** Called with what went wrong beside the windows: Redis was lost, or the storage is another one, say. Default: nothing. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Called when it begins to work for a corpus, with the id by which `corpus status` calls its key. Default: nothing. */
  onJoin?: ((key: string) => void) | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** Windows fetched so far. */
  readonly windows: number;
  /** Finishes the windows it is fetching, takes no others, and leaves. Idempotent. */
  close(): Promise<void>;
}

/** Milliseconds between two looks for queues, and looks between two renewals of their expiry. */
const LOOK_EVERY = 500;
const EXPIRE_EVERY = 20;
/** Looks until a queue without a trace is gone. */
const MAX_MISSED = 40;
/** A window whose workers vanish this often fails. */
const MAX_LOST = 10;
const MAX_MANIFEST_BYTES = 2 ** 26;
/** Seconds that a key is paused whose quota is used up, if the service does not say. */
const KEY_PAUSE = 60;

/**
 * Starts a worker of a fleet: fetches windows of the corpora that are built at a Redis server, with its own key, and puts them into the
 * shared storage. It works for every corpus of its service, and waits when there is none.
 *
 * First it checks that its key works. Before it takes a window of a corpus, it checks that it sees the storage of the coordinator and has its
 * version; otherwise it says what is wrong (`onProblem`) and takes nothing.
 *
 * @param options see {@link WorkerOptions}. The key is never written to Redis
 * @throws ValidationError, AuthenticationError without a key or if the service refuses it; ArchiveError `QUEUE_MISSING` or `QUEUE_FAILED`
 * @example
 * const worker = await startWorker({ queue: "redis://localhost:6379" }); // key from ARCHIVE_API_KEY
 * await worker.close();
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const { queue, storage, cloudOptions, concurrency = 4, lostAfter = 10, onProblem, onJoin, ...client } = options;
  const address = queueAddress(queue);
  const checked = { ...client, concurrency: positiveInteger("concurrency", concurrency, 4) };
  const settings = resolveOptions(checked);
  const lockDuration = 1000 * positiveNumber("lostAfter", lostAfter, 10, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    await checkKey(settings);
    const key = await keyId(connection, settings.key);
    const nothing = () => undefined;
    const more = { lockDuration, key, onProblem: onProblem ?? nothing, onJoin: onJoin ?? nothing };
    const worker = new QueueWorker(connection, files, settings, { client: checked, ...more });
    // Nothing else: whoever prints it must not see the key.
    return {
      get windows() {
        return worker.windows;
      },
      close: () => worker.close(),
    };
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}

/** Asks for a person. Only the refusal of the key matters. */
async function checkKey(settings: ResolvedOptions): Promise<void> {
  const transport = new Transport({ ...settings, maxRetries: 0 });
  try {
    await transport.request("/people/1", []);
  } catch (error) {
    if (error instanceof AuthenticationError) throw error.advise("The worker has taken no window.");
  } finally {
    await transport.close();
  }
}

interface Settings {
  readonly client: ClientOptions;
  readonly lockDuration: number;
  readonly key: string;
  readonly onProblem: (problem: string) => void;
  readonly onJoin: (key: string) => void;
}

/** What a worker has of a queue. */
interface Member {
  readonly name: string;
  readonly gate: SharedGate;
  readonly archive: ArchiveClient;
  readonly stop: AbortController;
  readonly ends: PageEnds;
  readonly worker: Worker;
  /** Milliseconds since 1970. */
  pausedUntil: number;
  /** Looks that have not found the queue. */
  missed: number;
}

class QueueWorker {
  windows = 0;
  readonly #members = new Map<string, Member>();
  readonly #self: PresentWorker;
  readonly #stop = new AbortController();
  readonly #work = mkdtempSync(join(tmpdir(), "archive-frames-work-"));
  readonly #looking: Promise<void>;
  #problem = "";
  #closing: Promise<void> | undefined;

  constructor(
    readonly connection: Connection,
    readonly storage: FleetStorage,
    readonly settings: ResolvedOptions,
    readonly options: Settings,
  ) {
    this.#self = { id: randomBytes(4).toString("hex"), key: options.key, concurrency: settings.concurrency };
    this.#looking = this.#look();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all([...this.#members.values()].map((member) => this.#leave(member)));
    this.connection.redis.disconnect();
    rmSync(this.#work, { recursive: true, force: true });
  }

  /** Joins each queue of the service, and leaves those that are gone. */
  async #look(): Promise<void> {
    const { signal } = this.#stop;
    for (let look = 0; !signal.aborted; look++) {
      try {
        await this.#lookOnce(look % EXPIRE_EVERY === 0);
      } catch (error) {
        this.#report((error as Error).message);
      }
      await systemClock.sleep(LOOK_EVERY, signal).catch(() => undefined);
    }
  }

  async #lookOnce(expires: boolean): Promise<void> {
    const { redis } = this.connection;
    const names: string[] = [];
    for (const name of await redis.smembers(QUEUES)) {
      if (!isOfService(name, this.settings.baseUrl)) continue;
      if (await redis.exists(planOf(name))) names.push(name);
      // It has expired.
      else await redis.srem(QUEUES, name);
    }
    for (const name of names) {
      const member = this.#members.get(name) ?? (await this.#join(name));
      if (member === undefined) continue;
      await member.gate.report();
      if (member.pausedUntil > Date.now()) continue;
      if (member.worker.isPaused()) member.worker.resume();
      await announce(redis, name, this.#self);
      if (expires) await expireQueue(redis, name, "NX");
    }
    for (const [name, member] of this.#members) {
      // Redis may have lost it: its coordinator will say it again.
      member.missed = names.includes(name) ? 0 : member.missed + 1;
      if (member.missed === 0 || (member.missed < MAX_MISSED && !(await redis.exists(closedOf(name))))) continue;
      this.#members.delete(name);
      member.stop.abort(new Error("the queue is gone"));
      void this.#leave(member).catch((error) => this.#report(error.message));
    }
  }

  /** Takes windows from a queue, if this worker fits its coordinator. */
  async #join(name: string): Promise<Member | undefined> {
    const plan = await this.connection.redis.hgetall(planOf(name));
    if (plan.version === undefined) return undefined;
    const problem = await this.#misfit(name, plan);
    if (problem !== undefined) {
      this.#report(`takes no window: ${problem}`);
      return undefined;
    }
    const member = this.#start(name);
    this.#members.set(name, member);
    this.options.onJoin(this.options.key);
    return member;
  }

  /** What of the coordinator this worker does not have. */
  async #misfit(name: string, { version, probe }: Record<string, string>): Promise<string | undefined> {
    if (version !== VERSION) return `the version of the coordinator is another one than ${VERSION}.`;
    const found = await this.storage.read(`${name}/probe`, 1000).catch(() => undefined);
    const isSame = found !== undefined && createHash("sha256").update(found).digest("hex") === probe;
    return isSame ? undefined : `the storage at ${this.storage.shown} is not the one of the coordinator.`;
  }

  #start(name: string): Member {
    const { redis, address, library } = this.connection;
    const { baseUrl, maxRetryWait, concurrency } = this.settings;
    const rate = rateOf(serviceOf(baseUrl), this.options.key);
    const gate = new SharedGate({ redis, name, rate, member: this.#self.id, maxRetryWait });
    const transport = (settings: ResolvedOptions) => new Transport(settings, undefined, undefined, gate);
    const archive = new ArchiveClient({ ...this.options.client, progress: false }, undefined, transport);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const worker: Worker = new library.Worker(WINDOWS, (job) => this.#fetch(member, job), {
      connection: connectionOptions(address),
      prefix: prefixOf(name),
      name: `${hostname().replace(/[^\w.-]/g, "_")}-${this.#self.id}`,
      concurrency,
      lockDuration: this.options.lockDuration,
      stalledInterval: this.options.lockDuration / 2,
      maxStalledCount: MAX_LOST,
      runRetryDelay: 500,
    });
    worker.on("error", ({ message }) => this.#report(message));
    const member: Member = {
      ...{ name, gate, archive, worker, stop, ends: new PageEnds() },
      pausedUntil: 0,
      missed: 0,
    };
    return member;
  }

  /** Finishes the windows of a queue. What was written after the end of the queue is removed again. */
  async #leave({ name, worker, archive }: Member): Promise<void> {
    const { redis } = this.connection;
    await withdraw(redis, name, this.#self);
    await worker.close();
    await archive.close();
    if ((await redis.sismember(QUEUES, name)) === 0) await removeQueue(redis, name);
    else await expireQueue(redis, name, "NX");
  }

  /** Fetches the window of a job into the storage. */
  async #fetch(member: Member, job: Job<WindowJob>): Promise<WindowResult> {
    const window = windowOf(job.data);
    const context = contextOf(member.archive);
    const none = { requests: 0, pages: 0, rows: 0 };
    if (window === undefined || job.id !== `${window.key}-${job.data.round}`) {
      const refused = new ArchiveError("a worker refused a job that no coordinator wrote.", { code: "QUEUE_FAILED" });
      return { end: "failed", ...none, error: errorJson(refused) };
    }
    const { pageSize, round, confirmEnd, recheck, hasJournal } = job.data;
    const client: ClientContext = { ...context, output: { ...context.output, pageSize } };
    const recorder = new ProvenanceRecorder(window.request, client);
    const files = await this.#filesOf(member.name);
    const work = join(this.#work, `${job.id}-${randomBytes(4).toString("hex")}`);
    const journal = { local: join(work, journalName(window)), stored: `journals/${job.id}` };
    const result = (end: WindowResult["end"]) => {
      const { requests, pages, rows } = recorder;
      return { end, requests, pages, rows };
    };
    /** Puts the journal into the storage for another attempt. */
    const unfinished = async (end: "capped" | "failed", error?: unknown): Promise<WindowResult> => {
      const has = existsSync(journal.local);
      if (has) await files.put(journal.stored, { file: journal.local });
      return { ...result(end), hasJournal: has, ...(error !== undefined && { error: errorJson(error) }) };
    };
    try {
      mkdirSync(work, { mode: 0o700 });
      // A run without a budget may have followed one whose budget is used up.
      await member.gate.report();
      // This worker, or another one, has fetched it, but was too slow to keep its lock.
      const landed = parseLanding(await files.read(landingPath({ window: window.key, round }), MAX_MANIFEST_BYTES));
      if (landed !== undefined) return { ...result("landed"), requests: landed.requests, rows: landed.rows };
      const before = hasJournal === true ? await files.read(journal.stored, 2 ** 30) : undefined;
      if (before !== undefined) writeFileSync(journal.local, before, { mode: 0o600 });
      const { gate, stop, ends } = member;
      const given = { recorder: () => recorder, budget: gate.budget, signal: stop.signal, confirmEnd, recheck, ends };
      const fetched = await fetchWindow(client, window, { work, round, ...given });
      if (fetched === undefined) return await unfinished("capped");
      await landWindow(files as CorpusStorage, fetched);
      this.windows++;
      return result("landed");
    } catch (error) {
      const { code } = error as Partial<ArchiveError>;
      if (recorder.reason === "maxRequests" || code === "OUT_OF_REQUESTS") return await unfinished("capped");
      if (await this.#pausesKey(member, error)) throw new Error("another key goes on");
      if (!(error instanceof ArchiveError)) this.#report((error as Error).message);
      return await unfinished("failed", error);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }

  /** The part of the storage that belongs to a queue. What is put there is noted in Redis first, for whoever removes it. */
  async #filesOf(name: string): Promise<Pick<FleetStorage, "put" | "read">> {
    const { redis } = this.connection;
    return {
      put: async (path, content) => {
        await redis.sadd(filesOf(name), path);
        await this.storage.put(`${name}/${path}`, content);
      },
      read: (path, maxBytes) => this.storage.read(`${name}/${path}`, maxBytes),
    };
  }

  /** Whether an error is about this key, and workers with another one can go on; then this one pauses. */
  async #pausesKey(member: Member, error: unknown): Promise<boolean> {
    const { code, retryAfter = KEY_PAUSE } = error as ArchiveError & Pick<RateLimitError, "retryAfter">;
    if (code !== "AUTHENTICATION" && code !== "RATE_LIMITED") return false;
    const { redis } = this.connection;
    if (code === "RATE_LIMITED") await member.gate.pause(retryAfter);
    await withdraw(redis, member.name, this.#self);
    const others = await presentWorkers(redis, member.name);
    if (others.every(({ key }) => key === this.options.key)) return false;
    member.pausedUntil = code === "RATE_LIMITED" ? Date.now() + 1000 * retryAfter : Number.POSITIVE_INFINITY;
    await member.worker.pause(true);
    this.#report((error as Error).message);
    return true;
  }

  #report(problem: string): void {
    if (this.#stop.signal.aborted || problem === this.#problem) return;
    this.#problem = problem;
    this.options.onProblem(problem);
  }
}

import { systemClock } from "../util/clock.js";
import type { FleetQueue } from "./fleetQueue.js";
import type { SharedGate } from "./sharedGate.js";

/** Milliseconds until the limit is restored: when all processes have reported, and at the latest. */
const RESTORE_AFTER = 2000;
const MAX_RESTORE = 10_000;

/** The requests that the processes of a fleet have sent, and their limit, in Redis. The coordinator keeps a copy in case Redis loses them. */
export class SentRequests {
  readonly #sent = new Map<string, number>();
  #run: { readonly before: number; readonly limit: number; readonly began: number } | undefined;
  #lostAt: number | undefined;

  constructor(
    readonly queue: FleetQueue,
    readonly gate: SharedGate,
  ) {}

  /** Begins a build or a refresh. */
  async begin(maxRequests = 1e15): Promise<void> {
    await this.look();
    const before = sumOf(this.#sent.values());
    this.#run = { before, limit: before + Math.min(maxRequests, 1e15), began: Date.now() };
    await this.queue.connection.redis
      .multi()
      .unlink(this.queue.key("misfits"))
      .hset(this.queue.key("run"), this.#run)
      .exec();
  }

  /** Lets nobody send a request any more. */
  async stop(): Promise<void> {
    if (this.#run !== undefined) this.#run = { ...this.#run, limit: 0 };
    await this.queue.connection.redis.hset(this.queue.key("run"), "limit", 0);
  }

  /** Requests of the workers since the queue exists. Waits while Redis does not know them, unless the run is aborted. */
  async ofWorkers(isAborted: boolean): Promise<number> {
    while (!isAborted || this.queue.connection.redis.status === "ready") {
      if ((await this.look()) || isAborted) break;
      await systemClock.sleep(250);
    }
    return sumOf(this.#sent.values()) - (this.#sent.get(this.gate.member) ?? 0);
  }

  /** Reads the counts. If Redis has lost them, no process sends a request until all have reported theirs again. @returns whether they are known */
  async look(): Promise<boolean> {
    const { redis } = this.queue.connection;
    const [sent, run] = [this.queue.key("sent"), this.queue.key("run")];
    await this.gate.say();
    const reported = await redis.hgetall(sent);
    for (const [member, count] of Object.entries(reported)) this.#sent.set(member, Number(count) || 0);
    if (this.#run === undefined || (await redis.exists(run)) === 1) {
      this.#lostAt = undefined;
      return true;
    }
    this.#lostAt ??= Date.now();
    // Processes that do not report may be gone. Their last known counts stand.
    const isWhole = [...this.#sent.keys()].every((member) => member in reported);
    if (Date.now() - this.#lostAt < (isWhole ? RESTORE_AFTER : MAX_RESTORE)) return false;
    await redis.multi().hset(sent, this.#sent).hset(run, this.#run).exec();
    return true;
  }
}

function sumOf(counts: Iterable<number>): number {
  return [...counts].reduce((sum, count) => sum + count, 0);
}

import type { RequestBudget } from "../service/http/requester.js";
import type { FleetQueue } from "./fleetQueue.js";
import type { SharedGate } from "./sharedGate.js";

/** Checks until the limit is restored: when all processes have reported, and at the latest. */
const RESTORE_AFTER = 3;
const MAX_RESTORE = 10;

/** The requests that the processes of a fleet have sent, and their limit, in Redis. The coordinator keeps a copy in case Redis loses them. */
export class SentRequests {
  readonly #sent = new Map<string, number>();
  #counts: { readonly before: number; readonly limit: number; readonly began: number } | undefined;
  #restoring = 0;

  constructor(
    readonly queue: FleetQueue,
    readonly gate: SharedGate,
  ) {}

  /** Begins a build or a refresh. */
  async begin(budget: RequestBudget | undefined): Promise<void> {
    const { redis } = this.queue.connection;
    const before = await redis.hincrby(this.queue.sent, "total", 0);
    const limit = before + Math.min(budget?.maxRequests ?? 1e15, 1e15);
    this.#counts = { before, limit, began: Date.now() };
    await redis.hset(this.queue.sent, this.#counts);
  }

  /** Checks the counts. If Redis has lost them, no process sends a request until all have reported theirs again. */
  async look(): Promise<void> {
    if (this.#counts === undefined) return;
    const { connection, sent: key } = this.queue;
    const { total, limit, before: _before, began: _began, ...sent } = await connection.redis.hgetall(key);
    for (const [id, count] of Object.entries(sent))
      this.#sent.set(id, Math.max(Number(count), this.#sent.get(id) ?? 0));
    if (total === undefined) await connection.redis.hset(key, { total: 0 });
    if (total === undefined || limit !== undefined) this.#restoring = 0;
    else if (++this.#restoring >= ([...this.#sent.keys()].every((id) => id in sent) ? RESTORE_AFTER : MAX_RESTORE)) {
      // Processes that did not report may be gone. Their last known counts stand.
      for (const [id, count] of this.#sent) await this.gate.say(id, count);
      await connection.redis.hset(key, this.#counts);
    }
  }
}

import { randomBytes } from "node:crypto";
import type { SentBefore } from "../corpus/run/fetchWindow.js";
import { ArchiveError, RateLimitError } from "../errors/index.js";
import type { Gate, Pass } from "../service/http/rateLimitGate.js";
import { systemClock } from "../util/clock.js";
import { sum } from "../util/sum.js";
import { isDamage, queueError } from "./connection.js";
import type { FleetQueue } from "./fleetQueue.js";

/**
 * The rate in requests per second. Before the first refusal it doubles with each second's worth of requests. After a refusal it grows slowly
 * at first, then faster: a quota of 25 a second is exceeded about every 20 seconds.
 */
const RATE = `
  local t = redis.call('TIME')
  local now = t[1] * 1000 + t[2] / 1000
  local function count(text)
    local n = tonumber(text)
    return n and n >= 0 and n < 1e15 and n
  end
  local function get(field, otherwise) return count(redis.call('HGET', KEYS[1], field)) or otherwise end
  local function set(field, value) redis.call('HSET', KEYS[1], field, string.format('%.3f', value)) end
  local epoch, base, granted = get('epoch', 0), math.max(get('base', 200), 1 / 3600), get('granted', 0)
  local seconds = math.min(granted / base, 200)
  local rate = epoch == 0 and base * 2 ^ math.min(seconds, 10) or base * (0.9 + 0.1 * math.exp(seconds / 20))
  redis.call('EXPIRE', KEYS[1], 86400)
`;

/**
 * Records how many requests a process has sent, then takes one from the budget and a slot from the rate. Returns 0 if the request is granted,
 * -1 if the budget is used up, or the milliseconds to wait before the next call; and the epoch in which the slot was reserved. Without a
 * limit nobody sends: a coordinator has removed the queue, or will restore what Redis has lost.
 */
const TAKE = `${RATE}
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  local run = redis.call('HMGET', KEYS[3], 'limit', 'open')
  local left = tonumber(run[1])
  if not left or ARGV[3] == 'report' then return {200, -1} end
  if ARGV[4] == 'worker' and run[2] ~= '1' then return {-1, -1} end
  for _, sent in ipairs(redis.call('HVALS', KEYS[2])) do left = left - (count(sent) or 0) end
  if left <= 0 then return {-1, -1} end
  local wait = math.ceil(get('until', 0) - now)
  if wait > 0 then return {wait, -1} end
  if tonumber(ARGV[3]) ~= epoch then
    local at = math.max(now, get('next', 0))
    set('next', at + 1000 / rate)
    if at - now > 1 then return {math.ceil(at - now), epoch} end
  end
  if granted == 0 then set('since', now) end
  redis.call('HINCRBY', KEYS[1], 'granted', 1)
  redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
  return {0, epoch}
`;

/**
 * Pauses all processes after a 429. Refused requests that were in flight together lower the rate once. What was accepted until the pause ends
 * is at most what the service allows, so the new rate is the geometric mean of that and the refused rate. After some seconds without a
 * refusal the rate only falls by 5 %.
 */
const REFUSED = `${RATE}
  local pause = tonumber(ARGV[1])
  set('until', math.max(get('until', 0), now + pause))
  if tonumber(ARGV[2]) ~= epoch then return end
  local elapsed = now - get('since', now)
  local measured = 1000 * math.max(granted - 1, 1) / (elapsed + pause)
  local isSlight = epoch > 0 and elapsed > 5000
  set('base', math.max(isSlight and 0.95 * rate or math.sqrt(math.min(measured, rate) * rate), 1 / 3600))
  set('next', now + pause)
  redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'granted', 0)
`;

/**
 * The gate that every request of a fleet passes. In Redis it takes one request from the budget of the build, and a slot from the rate that all
 * processes with this key share. A 429 for one process pauses all.
 */
export class SharedGate implements Gate {
  accepted = 0;
  /** Pauses since the last accepted request. */
  refusals = 0;
  /** Do not give up a request after a few refusals: other processes get through meanwhile. */
  readonly isShared = true;
  /** Set when the service rejects the key: no request passes any more. */
  rejected: Error | undefined;
  /** The name under which it counts. A worker that joins again counts anew, beside its earlier count. */
  readonly member: string = randomBytes(4).toString("hex");
  readonly #rate: string;
  #sent = 0;
  #refusedIn = -1;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param key id of the key
   * @param maxRetryWait seconds. A longer pause means that the quota is used up
   * @param role a worker sends only while a window waits
   */
  constructor(
    readonly queue: FleetQueue,
    key: string,
    readonly maxRetryWait: number,
    readonly role: "worker" | "coordinator" = "worker",
  ) {
    this.#rate = `archive-frames:rate:${queue.name.slice(-8)}-${key}`;
  }

  async pass(signal: AbortSignal): Promise<Pass> {
    for (let reserved = -1; ; ) {
      signal.throwIfAborted();
      if (this.rejected !== undefined) throw this.rejected;
      const [wait, epoch] = await this.#call(reserved);
      if (wait === 0 && signal.aborted) {
        // It is not sent.
        this.#sent--;
        void this.report().catch(() => undefined);
        signal.throwIfAborted();
      }
      if (wait === 0) return this.#granted(epoch);
      if (wait === -1)
        throw new ArchiveError("a request was not sent: maxRequests is used up.", { code: "OUT_OF_REQUESTS" });
      const retryAfter = Math.ceil(wait / 1000);
      const hint = `Run the command again in ${retryAfter} seconds: it goes on.`;
      if (retryAfter > this.maxRetryWait)
        throw new RateLimitError("the quota of this key is used up.", { retryAfter, hint, statusCode: 429 });
      reserved = epoch;
      await systemClock.sleep(wait, signal);
    }
  }

  #granted(epoch: number): Pass {
    return {
      pace: undefined,
      accepted: () => {
        this.accepted++;
        this.refusals = 0;
      },
      refused: (pause) => {
        if (epoch !== this.#refusedIn) this.refusals++;
        this.#refusedIn = epoch;
        void this.pause(pause(this.refusals), epoch);
      },
      exhausted: () => {
        this.refusals = 0;
      },
      done: () => undefined,
    };
  }

  /** Reports how many requests this process has sent. */
  async report(): Promise<void> {
    await this.#call("report");
  }

  /** Pauses every process with this key. */
  async pause(seconds: number, epoch = -1): Promise<void> {
    const { redis } = this.queue.connection;
    await redis.eval(REFUSED, 1, this.#rate, Math.ceil(1000 * seconds), epoch).catch(() => undefined);
  }

  /** One call at a time, so that a call repeated after a lost answer counts no request twice. */
  #call(reserved: number | "report"): Promise<[wait: number, epoch: number]> {
    const call = this.#last.then(async () => {
      const keys = [this.#rate, this.queue.key("sent"), this.queue.key("run")];
      const { redis, address } = this.queue.connection;
      const answer = await redis
        .eval(TAKE, 3, ...keys, this.member, this.#sent, reserved, this.role)
        .catch(async (error) => {
          if (!isDamage(error)) throw queueError(address, error);
          await redis.unlink(...keys);
          return [200, -1];
        });
      const [wait, epoch] = answer as [number, number];
      if (wait === 0) this.#sent++;
      return [wait, epoch] as [number, number];
    });
    this.#last = call.catch(() => undefined);
    return call;
  }
}

/** A count that Redis has. Somebody may have changed it. */
export function countOf(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}

/** Milliseconds until a lost limit is restored. By then every process that can reach Redis has reported. */
const RESTORE_AFTER = 3000;

/** The requests that each process of a fleet has sent, and the limit of the run, in Redis. The coordinator keeps a copy in case Redis loses them. */
export class SentRequests {
  readonly #sent = new Map<string, number>();
  #run: { readonly before: number; readonly limit: number; readonly began: number; readonly open: 0 | 1 } | undefined;
  /** Requests of workers that were returned. */
  #counted = 0;
  #lostAt: number | undefined;

  constructor(
    readonly queue: FleetQueue,
    readonly gate: SharedGate,
  ) {}

  /** @returns what the run before has sent, if its coordinator was killed */
  async begin(maxRequests = 1e15): Promise<SentBefore | undefined> {
    const isFirst = this.#run === undefined;
    const last = await this.queue.connection.redis.hgetall(this.queue.key("run"));
    await this.refresh();
    const before = sum([...this.#sent.values()]);
    this.#run = { before, limit: before + Math.min(maxRequests, 1e15), began: Date.now(), open: 0 };
    await this.queue.connection.redis
      .multi()
      .unlink(this.queue.key("misfits"))
      .hset(this.queue.key("run"), this.#run)
      .exec();
    const [began, requests] = [countOf(last.began), before - countOf(last.before)];
    return isFirst && began > 0 && requests > 0 ? { began, requests } : undefined;
  }

  /** Stops all requests of the run. */
  async stop(): Promise<void> {
    if (this.#run !== undefined) this.#run = { ...this.#run, limit: 0 };
    await this.queue.connection.redis.hset(this.queue.key("run"), "limit", 0);
  }

  /** Lets workers send requests while a window waits. Later ones, for a window that another worker has finished, would not be in the summary. */
  async open(open: 0 | 1): Promise<void> {
    if (this.#run === undefined || this.#run.open === open) return;
    this.#run = { ...this.#run, open };
    await this.queue.connection.redis.hset(this.queue.key("run"), "open", open);
  }

  /** Requests that workers have sent for this queue since the last call. Waits until Redis knows them, unless the run is aborted. */
  async ofWorkers(isAborted: boolean): Promise<number> {
    while (!isAborted || this.queue.connection.redis.status === "ready") {
      if ((await this.refresh()) || isAborted) break;
      await systemClock.sleep(250);
    }
    const ofWorkers = sum([...this.#sent.values()]) - (this.#sent.get(this.gate.member) ?? 0);
    const more = Math.max(0, ofWorkers - this.#counted);
    this.#counted += more;
    return more;
  }

  /** Reads the counts. If Redis lost or somebody changed them, nobody sends requests until all processes have reported again. @returns whether they are known */
  async refresh(): Promise<boolean> {
    const { redis } = this.queue.connection;
    const [sent, run] = [this.queue.key("sent"), this.queue.key("run")];
    await this.gate.report();
    const reported = await redis.hgetall(sent);
    const isDamaged = Object.entries(reported).some(
      ([member, count]) => !/^[\da-f]{8} \d{1,15}$/.test(`${member} ${count}`),
    );
    if (isDamaged) await redis.unlink(sent, run);
    else for (const [member, count] of Object.entries(reported)) this.#sent.set(member, countOf(count));
    if (this.#run === undefined || (await redis.hget(run, "limit")) === String(this.#run.limit)) {
      this.#lostAt = undefined;
      return true;
    }
    this.#lostAt ??= Date.now();
    // Processes that have not reported may be gone, so their last known counts stand.
    if (Date.now() - this.#lostAt < RESTORE_AFTER) return false;
    await redis.multi().hset(sent, this.#sent).hset(run, this.#run).exec();
    return true;
  }
}

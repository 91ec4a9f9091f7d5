import type { Redis } from "ioredis";
import { AbortedError, ArchiveError, RateLimitError } from "../errors/index.js";
import type { Gate, Pass } from "../service/http/rateLimitGate.js";
import { RequestBudget } from "../service/http/requester.js";
import { type Clock, systemClock } from "../util/clock.js";
import { sentOf } from "./connection.js";

/**
 * Requests per second before the first refusal: doubled with each second's worth of requests. After it: raised by half a percent, the faster
 * the longer nothing was refused; so a quota of 25 a second is overrun every 20 seconds.
 */
const RATE = `
  local t = redis.call('TIME')
  local now = t[1] * 1000 + t[2] / 1000
  local function get(field, otherwise) return tonumber(redis.call('HGET', KEYS[1], field)) or otherwise end
  local function set(field, value) redis.call('HSET', KEYS[1], field, string.format('%.3f', value)) end
  local epoch, base, granted = get('epoch', 0), get('base', 200), get('granted', 0)
  local seconds = math.min(granted / base, 200)
  local rate = epoch == 0 and base * 2 ^ math.min(seconds, 10) or base * (0.9 + 0.1 * math.exp(seconds / 20))
  redis.call('EXPIRE', KEYS[1], 86400)
`;

/**
 * Takes a request from the budget and a slot from the rate. Returns milliseconds to wait and come again, with the epoch in which the
 * slot was reserved; 0 for a granted request; -1 if the budget is used up; -2 if the run is another one.
 */
const TAKE = `${RATE}
  local run = redis.call('HGET', KEYS[2], 'run')
  if run ~= ARGV[2] then return {-2, 0, run or ''} end
  local missing = tonumber(ARGV[3]) - (tonumber(redis.call('HGET', KEYS[2], ARGV[1])) or 0)
  if missing > 0 then
    redis.call('HINCRBY', KEYS[2], ARGV[1], missing)
    redis.call('HINCRBY', KEYS[2], 'total', missing)
  end
  if ARGV[5] == '0' then return {0, 0, run} end
  local limit = tonumber(redis.call('HGET', KEYS[2], 'limit'))
  if not limit then return {200, -1, run} end
  if (tonumber(redis.call('HGET', KEYS[2], 'total')) or 0) >= limit then return {-1, 0, run} end
  local wait = math.ceil(get('until', 0) - now)
  if wait > 0 then return {wait, -1, run} end
  if tonumber(ARGV[4]) ~= epoch then
    local at = math.max(now, get('next', 0))
    set('next', at + 1000 / rate)
    if at - now > 1 then return {math.ceil(at - now), epoch, run} end
  end
  if granted == 0 then set('since', now) end
  redis.call('HINCRBY', KEYS[1], 'granted', 1)
  redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
  redis.call('HINCRBY', KEYS[2], 'total', 1)
  return {0, epoch, run}
`;

/**
 * Pauses all processes after a 429. Requests that were on the wire together teach once: what was accepted until the pause ends is at most
 * what the service lets through, so the new rate is the geometric mean of that and of the one that was refused; after some seconds
 * without a refusal it is 5 % lower.
 */
const REFUSED = `${RATE}
  local pause = tonumber(ARGV[1])
  set('until', math.max(get('until', 0), now + pause))
  redis.call('HINCRBY', KEYS[1], 'refused', 1)
  if tonumber(ARGV[2]) ~= epoch then return end
  local elapsed = now - get('since', now)
  local measured = 1000 * math.max(granted - 1, 1) / (elapsed + pause)
  local isSlight = epoch > 0 and elapsed > 5000
  set('base', math.max(isSlight and 0.95 * rate or math.sqrt(math.min(measured, rate) * rate), 1 / 3600))
  set('next', now + pause)
  redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'granted', 0)
`;

/** The hash of a key's rate. */
export const rateOf = (service: string, key: string): string => `archive-frames:rate:${service}-${key}`;

/** Who passes a gate, and where. */
export interface SharedGateOptions {
  readonly redis: Redis;
  /** The queue. */
  readonly name: string;
  /** See {@link rateOf}. */
  readonly rate: string;
  /** The name of this process. */
  readonly member: string;
  /** Seconds. A longer pause means that the quota is used up. */
  readonly maxRetryWait: number;
}

/**
 * The gate that every request of a fleet passes before it is sent. In Redis it takes one request from the budget of the run, and one
 * from the rate that all processes with this key share. A 429 to one of them pauses all.
 *
 * Each process knows what it has sent, and says so with each request. So the budget survives a Redis server that loses everything.
 */
export class SharedGate implements Gate {
  accepted = 0;
  /** Pauses since the last accepted request. */
  refusals = 0;
  /** Others get through: a request is not given up after some refusals of its own. */
  readonly isShared = true;
  /** For the walks of this process: counts what the gate has not, which is redirects. */
  readonly budget: RequestBudget;
  #run = "";
  #sent = 0;
  #credit = 0;
  #isUsedUp = false;
  #refusedIn = -1;

  constructor(
    readonly options: SharedGateOptions,
    readonly clock: Clock = systemClock,
  ) {
    const take = () => {
      if (this.#credit > 0) this.#credit--;
      else this.#sent++;
      return true;
    };
    // What has passed may be sent.
    const isUsedUp = () => this.#isUsedUp && this.#credit === 0;
    this.budget = new (class extends RequestBudget {
      override get isUsedUp() {
        return isUsedUp();
      }
      override take = take;
    })(Number.POSITIVE_INFINITY);
  }

  /** Requests that this process has sent in this run. */
  get sent(): number {
    return this.#sent;
  }

  async pass(signal: AbortSignal): Promise<Pass> {
    const epoch = await this.#take(signal);
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

  /** Says again what this process has sent. */
  async report(): Promise<void> {
    await this.#call(-1, false);
  }

  /** Says at least what another process has sent. */
  async say(run: string, member: string, sent: number): Promise<void> {
    const { redis, rate, name } = this.options;
    await redis.eval(TAKE, 2, rate, sentOf(name), member, run, sent, -1, 0);
  }

  /** Pauses every process with this key for some seconds. */
  async pause(seconds: number, epoch = -1): Promise<void> {
    const { redis, rate } = this.options;
    await redis.eval(REFUSED, 1, rate, Math.ceil(1000 * seconds), epoch).catch(() => undefined);
  }

  /** @returns the epoch of the rate */
  async #take(signal: AbortSignal): Promise<number> {
    let reserved = -1;
    for (;;) {
      const [wait, epoch] = await abortable(this.#call(reserved, true), signal);
      if (wait === 0) {
        this.#sent++;
        this.#credit++;
        return epoch;
      }
      this.#isUsedUp = wait === -1;
      if (wait === -1) throw usedUp();
      if (wait > 1000 * this.options.maxRetryWait) throw quotaUsedUp(Math.ceil(wait / 1000));
      reserved = wait === -2 ? -1 : epoch;
      await this.clock.sleep(wait === -2 ? 100 : wait, signal);
    }
  }

  async #call(reserved: number, takes: boolean): Promise<[wait: number, epoch: number]> {
    const { redis, rate, name, member } = this.options;
    const given = [member, this.#run, this.#sent, reserved, takes ? 1 : 0];
    const [wait, epoch, run] = (await redis.eval(TAKE, 2, rate, sentOf(name), ...given)) as [number, number, string];
    if (wait === -2 && run !== "" && run !== this.#run) [this.#run, this.#sent, this.#isUsedUp] = [run, 0, false];
    return [wait, epoch];
  }
}

function usedUp(): ArchiveError {
  const hint = "Raise maxRequests: retries and redirects count as well.";
  return new ArchiveError("a request was not sent: maxRequests is used up.", { code: "OUT_OF_REQUESTS", hint });
}

function quotaUsedUp(retryAfter: number): RateLimitError {
  const hint = `Run the command again in ${retryAfter} seconds: it goes on.`;
  return new RateLimitError("the quota of this key is used up.", { retryAfter, hint, statusCode: 429 });
}

/** Waits for a command, which may take as long as Redis is away. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason ?? new AbortedError("stopped."));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

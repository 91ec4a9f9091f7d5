import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { FileError } from "../errors/index.js";

/** Milliseconds that a lock outlives its process, and between two renewals. */
const EXPIRES = 10_000;
const RENEW_EVERY = 2000;
const LOOK_EVERY = 250;

const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Lets one coordinator at a time use a queue, on whatever machine. The lock of a killed one expires within seconds, which this
 * waits for; that of a living one is renewed, and then it throws.
 *
 * @returns a function that releases the lock
 * @throws FileError `TARGET_BUSY`
 */
export async function coordinatorLock(redis: Redis, key: string, corpus: string): Promise<() => Promise<void>> {
  const own = randomUUID();
  let least = Number.POSITIVE_INFINITY;
  while ((await redis.set(key, own, "PX", EXPIRES, "NX")) === null) {
    const left = await redis.pttl(key);
    // Only a living process makes it last longer.
    if (left > least) {
      const hint = "One build or refresh of a corpus can run at a time. Wait for it, or stop it.";
      throw new FileError(`the queue of ${corpus} is in use by another coordinator.`, {
        code: "TARGET_BUSY",
        hint,
        path: corpus,
      });
    }
    if (left >= 0) least = left;
    await sleep(LOOK_EVERY);
  }
  const timer = setInterval(() => {
    const renewed = redis.eval(RENEW, 1, key, own, EXPIRES).then(async (count) => {
      // Redis has lost it in a restart.
      if (count === 0) await redis.set(key, own, "PX", EXPIRES, "NX");
    });
    renewed.catch(() => undefined);
  }, RENEW_EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await redis.eval(RELEASE, 1, key, own);
  };
}

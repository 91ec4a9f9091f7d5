import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runs } from "../scale.js";
import { type FakeKey, fakeFleet, requestAll } from "./fakeFleet.js";

const FOREVER = Number.POSITIVE_INFINITY;

/** A token bucket whose responses take 20 ms. */
const bucket = (perSecond: number, burst = 5): FakeKey["service"] => ({
  throttle: { kind: "token bucket", perSecond, burst },
  retryAfter: "seconds",
  network: 1,
  service: 18,
  isRandom: false,
});

const workers = (concurrency: number, from = 0, until = FOREVER) => [{ concurrency, from, until }];

/** Warnings of this process, by their code. */
function warnings() {
  const seen: string[] = [];
  vi.spyOn(process, "emitWarning").mockImplementation((_text, options) => {
    seen.push(String((options as { code?: unknown }).code));
  });
  return seen;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the workers of several keys", () => {
  const worker = fc.record({
    concurrency: fc.integer({ min: 1, max: 8 }),
    from: fc.nat(20),
    until: fc.constantFrom(5, 15, 40, FOREVER),
  });
  const key: fc.Arbitrary<FakeKey> = fc
    .record(
      {
        service: fc.record({ perSecond: fc.integer({ min: 2, max: 30 }), burst: fc.integer({ min: 1, max: 20 }) }),
        workers: fc.array(worker, { maxLength: 3 }),
        refuses: fc.constantFrom({ status: 401, from: 0 }, { status: 429, from: 10, retryAfter: 100_000 }),
      },
      { requiredKeys: ["service", "workers"] },
    )
    .map((given) => ({ ...given, service: bucket(given.service.perSecond, given.service.burst) }));

  it("get every request once, and no more than they can send", async () => {
    warnings();
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 4 }), fc.integer({ min: 1, max: 200 }), async (others, count) => {
        // One good key always has a worker.
        const given = fakeFleet([{ service: bucket(10), workers: workers(2) }, ...others]);
        expect(await requestAll(given, count)).toEqual([]);
        const accepted = given.queues.flatMap((queue) => queue.accepted);
        expect(accepted.sort()).toEqual([...Array(count).keys()].map((id) => `/people/${id}`).sort());
        // No page stays with a key that is paused for a day.
        expect(given.clock.seconds).toBeLessThan(1000);
        // Until the next look, or until they are missed, workers that have vanished count.
        const steady = given.queues.filter((queue) => queue.key.workers.every(({ until }) => until === FOREVER));
        for (const queue of steady) {
          const concurrency = queue.key.workers.reduce((sum, one) => sum + one.concurrency, 0);
          expect(Math.max(0, ...queue.excess)).toBeLessThanOrEqual(Math.max(1, concurrency / 4));
        }
      }),
      { numRuns: runs(30, 500) },
    );
  });

  it("have a rate each: three keys take a third of the time of one", async () => {
    const one = { service: bucket(10), workers: workers(4) };
    const alone = fakeFleet([one]);
    await requestAll(alone, 600);
    const together = fakeFleet([one, one, one]);
    await requestAll(together, 600);
    expect(together.clock.seconds).toBeLessThan(0.4 * alone.clock.seconds);
    for (const { accepted } of together.queues) expect(accepted.length).toBeGreaterThan(150);
  });

  it("go on when a quota is used up, and when a key is rejected", async () => {
    const seen = warnings();
    const refuses = { status: 429, from: 5, retryAfter: 86_400 };
    const given = fakeFleet([
      { service: bucket(10), workers: workers(4), refuses },
      { service: bucket(10), workers: workers(4) },
      { service: bucket(10), workers: workers(4), refuses: { status: 401, from: 0 } },
    ]);
    expect(await requestAll(given, 300)).toEqual([]);
    expect(given.queues.map(({ accepted }) => accepted.length)).toEqual([
      // At least half of what its bucket refills in five seconds.
      expect.toSatisfy((count: number) => count >= 25 && count < 70),
      expect.toSatisfy((count: number) => count > 230),
      0,
    ]);
    expect(seen).toEqual(["KEY_PAUSED", "KEY_PAUSED"]);
    expect(given.clock.seconds).toBeLessThan(60);
  });

  it("fail like a single key if there is no other", async () => {
    warnings();
    const throttled = { service: bucket(10), workers: workers(4), refuses: { status: 429, from: 0 } };
    const rejected = { service: bucket(10), workers: workers(4), refuses: { status: 401, from: 0 } };
    const used = { service: bucket(10), workers: workers(4), refuses: { status: 429, from: 0, retryAfter: 86_400 } };
    for (const [keys, code] of [
      [[rejected], "AUTHENTICATION"],
      [[used], "RATE_LIMITED"],
      [[used, used], "RATE_LIMITED"],
      [[throttled, throttled], "RATE_LIMITED"],
    ] as const) {
      for (const count of [1, 3]) {
        const failed = await requestAll(fakeFleet(keys), count);
        expect(failed).toHaveLength(count);
        for (const error of failed) expect(error).toMatchObject({ code });
      }
    }
  });

  it("get the pages of workers that have vanished, after ten seconds", async () => {
    const given = fakeFleet([
      { service: bucket(1), workers: workers(4, 0, 8) },
      { service: bucket(1), workers: workers(4, 5) },
    ]);
    expect(await requestAll(given, 60)).toEqual([]);
    expect(given.clock.seconds).toBeGreaterThan(18);
  });

  it("are missed once, if there are none", async () => {
    const seen = warnings();
    const given = fakeFleet([{ service: bucket(10), workers: workers(1, 60) }]);
    expect(await requestAll(given, 3)).toEqual([]);
    expect(seen).toEqual(["NO_WORKER"]);
    expect(given.clock.seconds).toBeGreaterThan(60);
  });

  it("leave a request that waits for them to its signal, and to close()", async () => {
    const { fleet, clock } = fakeFleet([]);
    const controller = new AbortController();
    const waiting = fleet.request("/people/1", [], { signal: controller.signal });
    clock.after(1000, () => controller.abort("enough"));
    await expect(clock.run(waiting)).rejects.toMatchObject({ code: "ABORTED", cause: "enough" });
    const other = fleet.request("/people/2", []);
    clock.after(1000, () => void fleet.close());
    await expect(clock.run(other)).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
    await expect(fleet.request("/people/3", [])).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
  });
});

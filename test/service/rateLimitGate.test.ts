import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pass, RateLimitGate } from "../../src/service/http/rateLimitGate.js";
import { StandingClock } from "./clocks.js";

const never = new AbortController().signal;

/** Lets everything run that needs no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Asks for passes and writes the names down in the order in which they are given. */
function requester(gate: RateLimitGate) {
  const passed: string[] = [];
  const passes = new Map<string, Pass>();
  const request = (name: string, { signal = never, isRetry = false } = {}) =>
    gate.pass(signal, isRetry).then((pass) => {
      passed.push(name);
      passes.set(name, pass);
    });
  return { passed, request, pass: (name: string) => passes.get(name) as Pass };
}

/** A gate that is paused for so many milliseconds, by a refusal of a request that is over. */
async function paused(clock: StandingClock, ms: number, concurrency = 8): Promise<RateLimitGate> {
  const gate = new RateLimitGate(clock, concurrency);
  const pass = await gate.pass(never);
  pass.refused(() => ms / 1000);
  pass.done();
  return gate;
}

describe("RateLimitGate", () => {
  test("admits every request, up to the concurrency", async () => {
    const { passed, request, pass } = requester(new RateLimitGate(new StandingClock(), 3));
    for (const name of ["a", "b", "c", "d"]) void request(name);
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
    pass("b").accepted();
    pass("b").done();
    await settle();
    expect(passed).toEqual(["a", "b", "c", "d"]);
  });

  test("first in, first out, but retries first", async () => {
    const gate = new RateLimitGate(new StandingClock(), 1);
    const first = await gate.pass(never);
    const order: string[] = [];
    const request = async (name: string, isRetry = false) => {
      const pass = await gate.pass(never, isRetry);
      order.push(name);
      pass.done();
    };
    const all = [request("a"), request("b"), request("retry 1", true), request("retry 2", true), request("c")];
    await settle();
    expect(order).toEqual([]);
    first.done();
    await Promise.all(all);
    expect(order).toEqual(["retry 1", "retry 2", "a", "b", "c"]);
  });

  test("a place goes to the next in line, and freeing it twice does nothing", async () => {
    const gate = new RateLimitGate(new StandingClock(), 1);
    const { passed, request, pass } = requester(gate);
    const held = await gate.pass(never);
    void request("waiting");
    held.done();
    held.done();
    void request("late");
    await settle();
    expect(passed).toEqual(["waiting"]);
    pass("waiting").done();
    await settle();
    expect(passed).toEqual(["waiting", "late"]);
  });

  test("after a pause one request probes, and its response opens the gate for all", async () => {
    const clock = new StandingClock();
    const gate = await paused(clock, 5000);
    const { passed, request, pass } = requester(gate);
    const all = Promise.all(["a", "b", "c"].map((name) => request(name)));
    await clock.asleep(1);
    clock.advance(4999);
    await settle();
    expect(passed).toEqual([]);
    clock.advance(1);
    await settle();
    expect(passed).toEqual(["a"]);
    void request("late");
    await settle();
    expect(passed).toEqual(["a"]);
    pass("a").accepted();
    await all;
    await settle();
    expect(passed).toEqual(["a", "b", "c", "late"]);
    // Half as many at once may be out as before.
    const later = request("later");
    await settle();
    expect(passed).not.toContain("later");
    pass("a").done();
    await later;
    expect(clock.sleepers).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])(
    "waits for the whole pause although the wall clock changes by %d ms",
    async (by) => {
      const clock = new StandingClock(Date.UTC(2024, 0, 1));
      const gate = await paused(clock, 1000);
      const { passed, request } = requester(gate);
      void request("a");
      await clock.asleep(1);
      clock.set(by);
      void request("b");
      clock.advance(999);
      await settle();
      expect(passed).toEqual([]);
      clock.advance(1);
      await settle();
      expect(passed).toEqual(["a"]);
    },
  );

  test("a probe that gets another 429 keeps the others waiting", async () => {
    const clock = new StandingClock();
    const gate = await paused(clock, 1000);
    const { passed, request, pass } = requester(gate);
    const all = Promise.all(["a", "b"].map((name) => request(name)));
    await clock.asleep(1);
    clock.advance(1000);
    await settle();
    pass("a").refused((inARow) => inARow);
    pass("a").done();
    expect(gate.refusals).toBe(2);
    await clock.asleep(1);
    clock.advance(1999);
    await settle();
    expect(passed).toEqual(["a"]);
    clock.advance(1);
    await all;
    expect(passed).toEqual(["a", "b"]);
  });

  test("when a probe ends without a response, the next in line is the probe", async () => {
    const clock = new StandingClock();
    const gate = await paused(clock, 1000);
    const { passed, request, pass } = requester(gate);
    for (const name of ["a", "b", "c"]) void request(name);
    await clock.asleep(1);
    clock.advance(1000);
    await settle();
    pass("a").done();
    await settle();
    expect(passed).toEqual(["a", "b"]);
    pass("b").accepted();
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
  });

  test("a further pause only extends, and refusals of requests on the wire together count once", async () => {
    const clock = new StandingClock();
    const gate = new RateLimitGate(clock, 8);
    const out = await Promise.all([1, 2, 3].map(() => gate.pass(never)));
    const { passed, request } = requester(gate);
    out[0]?.refused(() => 5);
    void request("a");
    await clock.asleep(1);
    out[1]?.refused(() => 2);
    expect(gate.refusals).toBe(1);
    clock.advance(4999);
    await settle();
    expect(passed).toEqual([]);
    out[2]?.refused(() => 4);
    clock.advance(1);
    await settle();
    expect(passed).toEqual([]);
    clock.advance(3999);
    await settle();
    expect(passed).toEqual(["a"]);
  });

  test("responses to requests from before the pause do not open it", async () => {
    const clock = new StandingClock();
    const gate = new RateLimitGate(clock, 8);
    const [before, refused, late] = (await Promise.all([1, 2, 3].map(() => gate.pass(never)))) as [Pass, Pass, Pass];
    const { passed, request, pass } = requester(gate);
    refused.refused(() => 1);
    before.accepted();
    void request("a");
    await settle();
    expect(passed).toEqual([]);
    clock.advance(1000);
    await settle();
    // A late 429 to an older request: the probe that is out decides nothing any more.
    late.refused(() => 1);
    pass("a").accepted();
    void request("b");
    await settle();
    expect(passed).toEqual(["a"]);
    clock.advance(1000);
    await settle();
    expect(passed).toEqual(["a", "b"]);
  });

  test("an abort removes a waiting request immediately, and leaves no timer", async () => {
    const clock = new StandingClock();
    const gate = await paused(clock, 1000);
    const { request } = requester(gate);
    const reason = new Error("enough");
    const asleep = new AbortController();
    const first = expect(request("a", { signal: asleep.signal })).rejects.toBe(reason);
    await clock.asleep(1);
    asleep.abort(reason);
    await first;
    expect(clock.sleepers).toBe(0);
    void request("probe");
    await clock.asleep(1);
    clock.advance(1000);
    await settle();
    const behind = new AbortController();
    const second = expect(request("b", { signal: behind.signal })).rejects.toBe(reason);
    behind.abort(reason);
    await second;
    await expect(request("c", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(clock.sleepers).toBe(0);
  });

  test("a used-up quota teaches no rate: afterwards one request probes, then all go", async () => {
    const clock = new StandingClock();
    const gate = new RateLimitGate(clock, 4);
    const used = await gate.pass(never);
    used.exhausted();
    used.done();
    const { passed, request, pass } = requester(gate);
    for (const name of ["a", "b", "c", "d"]) void request(name);
    await settle();
    expect(passed).toEqual(["a"]);
    pass("a").accepted();
    pass("a").done();
    await settle();
    expect(passed).toEqual(["a", "b", "c", "d"]);
    expect(pass("d").pace).toBeUndefined();
    expect(clock.sleepers).toBe(0);
  });

  test("in any order of arrivals, aborts and ends, the count is right and no request is forgotten", async () => {
    const one = fc.record({ leaves: fc.boolean(), isRetry: fc.boolean(), turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(one, { maxLength: 30 }), async (count, all) => {
        const gate = new RateLimitGate(new StandingClock(), count);
        let held = 0;
        const runs = all.map(async ({ leaves, isRetry, turns }) => {
          const controller = new AbortController();
          const turn = gate.pass(controller.signal, isRetry);
          if (leaves) controller.abort(new Error("left"));
          const pass = await turn;
          held += 1;
          expect(held).toBeLessThanOrEqual(count);
          for (let i = 0; i < turns; i += 1) await settle();
          held -= 1;
          pass.accepted();
          pass.done();
        });
        for (const outcome of await Promise.allSettled(runs)) {
          if (outcome.status === "rejected") expect(outcome.reason.message).toBe("left");
        }
        const passes = await Promise.all(Array.from({ length: count }, () => gate.pass(never)));
        expect(passes).toHaveLength(count);
      }),
      { numRuns: 50 },
    );
  });
});

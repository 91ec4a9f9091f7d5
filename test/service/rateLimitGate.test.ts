import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pass, RateLimitGate } from "../../src/service/http/rateLimitGate.js";
import { StandingClock } from "./clocks.js";

const never = new AbortController().signal;

/** Lets everything run that needs no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A gate whose passes are requested by name. */
function startGate(concurrency: number, clock = new StandingClock()) {
  const gate = new RateLimitGate(clock, concurrency);
  const passed: string[] = [];
  const passes = new Map<string, Pass>();
  return {
    gate,
    clock,
    pass: (name: string) => passes.get(name) as Pass,
    request: (name: string, { signal = never, isRetry = false } = {}) =>
      gate.pass(signal, isRetry).then((pass) => {
        passed.push(name);
        passes.set(name, pass);
      }),
    /** The names that have passed after some more milliseconds, in order. */
    async passedAfter(ms: number) {
      await settle();
      clock.advance(ms);
      await settle();
      return passed;
    },
  };
}

/** A gate that is paused for so many milliseconds, by a refusal of a request that is over. */
async function startPausedGate(ms: number, clock?: StandingClock) {
  const started = startGate(8, clock);
  const pass = await started.gate.pass(never);
  pass.refused(() => ms / 1000);
  pass.done();
  return started;
}

describe("RateLimitGate", () => {
  test("admits every request, up to the concurrency", async () => {
    const { request, pass, passedAfter } = startGate(3);
    for (const name of ["a", "b", "c", "d"]) void request(name);
    expect(await passedAfter(0)).toEqual(["a", "b", "c"]);
    pass("b").accepted();
    pass("b").done();
    expect(await passedAfter(0)).toEqual(["a", "b", "c", "d"]);
  });

  test("first in, first out, but retries first", async () => {
    const { gate, request, pass, passedAfter } = startGate(1);
    const first = await gate.pass(never);
    const names = ["a", "b", "retry 1", "retry 2", "c"];
    const done = names.map(async (name) => {
      await request(name, { isRetry: name.startsWith("retry") });
      pass(name).done();
    });
    expect(await passedAfter(0)).toEqual([]);
    first.done();
    await Promise.all(done);
    expect(await passedAfter(0)).toEqual(["retry 1", "retry 2", "a", "b", "c"]);
  });

  test("a place goes to the next in line, and freeing it twice does nothing", async () => {
    const { gate, request, pass, passedAfter } = startGate(1);
    const held = await gate.pass(never);
    void request("waiting");
    held.done();
    held.done();
    void request("late");
    expect(await passedAfter(0)).toEqual(["waiting"]);
    pass("waiting").done();
    expect(await passedAfter(0)).toEqual(["waiting", "late"]);
  });

  test("after a pause one request probes, and its response opens the gate for all", async () => {
    const { clock, request, pass, passedAfter } = await startPausedGate(5000);
    for (const name of ["a", "b", "c"]) void request(name);
    expect(await passedAfter(4999)).toEqual([]);
    expect(await passedAfter(1)).toEqual(["a"]);
    void request("late");
    expect(await passedAfter(0)).toEqual(["a"]);
    pass("a").accepted();
    expect(await passedAfter(0)).toEqual(["a", "b", "c", "late"]);
    // Half as many at once may be out as before.
    void request("later");
    expect(await passedAfter(0)).not.toContain("later");
    pass("a").done();
    expect(await passedAfter(0)).toContain("later");
    expect(clock.sleepers).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])(
    "waits for the whole pause although the wall clock changes by %d ms",
    async (by) => {
      const { clock, request, passedAfter } = await startPausedGate(1000, new StandingClock(Date.UTC(2024, 0, 1)));
      void request("a");
      await clock.asleep(1);
      clock.set(by);
      void request("b");
      expect(await passedAfter(999)).toEqual([]);
      expect(await passedAfter(1)).toEqual(["a"]);
    },
  );

  test("a probe that gets another 429 keeps the others waiting", async () => {
    const { gate, request, pass, passedAfter } = await startPausedGate(1000);
    for (const name of ["a", "b"]) void request(name);
    expect(await passedAfter(1000)).toEqual(["a"]);
    pass("a").refused((inARow) => inARow);
    pass("a").done();
    expect(gate.refusals).toBe(2);
    expect(await passedAfter(1999)).toEqual(["a"]);
    expect(await passedAfter(1)).toEqual(["a", "b"]);
  });

  test("when a probe ends without a response, the next in line is the probe", async () => {
    const { request, pass, passedAfter } = await startPausedGate(1000);
    for (const name of ["a", "b", "c"]) void request(name);
    expect(await passedAfter(1000)).toEqual(["a"]);
    pass("a").done();
    expect(await passedAfter(0)).toEqual(["a", "b"]);
    pass("b").accepted();
    expect(await passedAfter(0)).toEqual(["a", "b", "c"]);
  });

  test("a further pause only extends, and refusals of requests on the wire together count once", async () => {
    const { gate, request, passedAfter } = startGate(8);
    const out = await Promise.all([1, 2, 3].map(() => gate.pass(never)));
    out[0]?.refused(() => 5);
    void request("a");
    expect(await passedAfter(0)).toEqual([]);
    out[1]?.refused(() => 2);
    expect(gate.refusals).toBe(1);
    expect(await passedAfter(4999)).toEqual([]);
    out[2]?.refused(() => 4);
    expect(await passedAfter(1)).toEqual([]);
    expect(await passedAfter(3999)).toEqual(["a"]);
  });

  test("responses to requests from before the pause do not open it", async () => {
    const { gate, request, pass, passedAfter } = startGate(8);
    const [before, refused, late] = (await Promise.all([1, 2, 3].map(() => gate.pass(never)))) as [Pass, Pass, Pass];
    refused.refused(() => 1);
    before.accepted();
    void request("a");
    expect(await passedAfter(0)).toEqual([]);
    expect(await passedAfter(1000)).toEqual(["a"]);
    // A late 429 to an older request: the probe that is out decides nothing any more.
    late.refused(() => 1);
    pass("a").accepted();
    void request("b");
    expect(await passedAfter(0)).toEqual(["a"]);
    expect(await passedAfter(1000)).toEqual(["a", "b"]);
  });

  test("an abort removes a waiting request immediately, and leaves no timer", async () => {
    const { clock, request, passedAfter } = await startPausedGate(1000);
    const reason = new Error("enough");
    const asleep = new AbortController();
    const first = expect(request("a", { signal: asleep.signal })).rejects.toBe(reason);
    await clock.asleep(1);
    asleep.abort(reason);
    await first;
    expect(clock.sleepers).toBe(0);
    void request("probe");
    expect(await passedAfter(1000)).toEqual(["probe"]);
    const behind = new AbortController();
    const second = expect(request("b", { signal: behind.signal })).rejects.toBe(reason);
    behind.abort(reason);
    await second;
    await expect(request("c", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(clock.sleepers).toBe(0);
  });

  test("a used-up quota teaches no rate: afterwards one request probes, then all go", async () => {
    const { gate, clock, request, pass, passedAfter } = startGate(4);
    const used = await gate.pass(never);
    used.exhausted();
    used.done();
    for (const name of ["a", "b", "c", "d"]) void request(name);
    expect(await passedAfter(0)).toEqual(["a"]);
    pass("a").accepted();
    pass("a").done();
    expect(await passedAfter(0)).toEqual(["a", "b", "c", "d"]);
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

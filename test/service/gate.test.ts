import { describe, expect, test } from "vitest";
import { Gate, type Pass } from "../../src/service/http/gate.js";
import { StandingClock } from "./clocks.js";

const never = new AbortController().signal;

/** Lets everything run that needs no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Asks for a pass and writes the name down when it is given. */
function asker(gate: Gate) {
  const passed: string[] = [];
  const passes = new Map<string, Pass>();
  const ask = (name: string, signal: AbortSignal = never) =>
    gate.pass(signal).then((pass) => {
      passed.push(name);
      passes.set(name, pass);
    });
  return { passed, ask, pass: (name: string) => passes.get(name) as Pass };
}

describe("Gate", () => {
  test("lets everybody pass while it is open", async () => {
    const { passed, ask } = asker(new Gate(new StandingClock()));
    await Promise.all(["a", "b", "c"].map((name) => ask(name)));
    expect(passed).toEqual(["a", "b", "c"]);
  });

  test("after a pause one goes ahead, and its answer opens the gate for all", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { passed, ask, pass } = asker(gate);
    gate.pause(5000);
    const all = Promise.all(["a", "b", "c"].map((name) => ask(name)));
    await clock.asleep(3);
    clock.advance(4999);
    await settle();
    expect(passed).toEqual([]);
    clock.advance(1);
    await settle();
    expect(passed).toEqual(["a"]);
    await Promise.race([ask("late"), settle()]);
    expect(passed).toEqual(["a"]);
    pass("a").accepted();
    await all;
    await settle();
    expect(passed).toEqual(["a", "b", "c", "late"]);
    await ask("later");
    expect(clock.sleepers).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])("waits as long as it was told although the clock is set by %d ms", async (by) => {
    const clock = new StandingClock(Date.UTC(2024, 0, 1));
    const gate = new Gate(clock);
    const { passed, ask } = asker(gate);
    gate.pause(clock.ticks() + 1000);
    void ask("a");
    await clock.asleep(1);
    clock.set(by);
    void ask("b");
    await clock.asleep(2);
    clock.advance(999);
    await settle();
    expect(passed).toEqual([]);
    clock.advance(1);
    await settle();
    expect(passed).toEqual(["a"]);
  });

  test("a probe that meets 429 again keeps the others waiting", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { passed, ask, pass } = asker(gate);
    gate.pause(1000);
    const all = Promise.all(["a", "b"].map((name) => ask(name)));
    await clock.asleep(2);
    clock.advance(1000);
    await settle();
    gate.pause(3000);
    pass("a").ended();
    await clock.asleep(1);
    clock.advance(1999);
    await settle();
    expect(passed).toEqual(["a"]);
    clock.advance(1);
    await all;
    expect(passed).toEqual(["a", "b"]);
  });

  test("when a probe ends without an answer, the next in line is the probe", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { passed, ask, pass } = asker(gate);
    gate.pause(1000);
    for (const name of ["a", "b", "c"]) void ask(name);
    await clock.asleep(3);
    clock.advance(1000);
    await settle();
    pass("a").ended();
    await settle();
    expect(passed).toEqual(["a", "b"]);
    pass("b").accepted();
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
  });

  test("a further pause only extends", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { passed, ask } = asker(gate);
    gate.pause(5000);
    void ask("a");
    await clock.asleep(1);
    gate.pause(2000);
    clock.advance(4999);
    void ask("b");
    await settle();
    expect(passed).toEqual([]);
    gate.pause(9000);
    clock.advance(1);
    await settle();
    expect(passed).toEqual([]);
    clock.advance(4000);
    await settle();
    expect(passed).toEqual(["a"]);
  });

  test("answers to requests from before the pause do not open it", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { passed, ask, pass } = asker(gate);
    await ask("before");
    gate.pause(1000);
    pass("before").accepted();
    void ask("a");
    await settle();
    expect(passed).toEqual(["before"]);
    clock.advance(1000);
    await settle();
    // A late 429 to an older request: the probe that is out decides nothing any more.
    gate.pause(2000);
    pass("a").accepted();
    void ask("b");
    await settle();
    expect(passed).toEqual(["before", "a"]);
    clock.advance(1000);
    await settle();
    expect(passed).toEqual(["before", "a", "b"]);
  });

  test("whoever waits can leave at once, asleep or behind a probe", async () => {
    const clock = new StandingClock();
    const gate = new Gate(clock);
    const { ask } = asker(gate);
    const reason = new Error("enough");
    const asleep = new AbortController();
    gate.pause(1000);
    const first = expect(ask("a", asleep.signal)).rejects.toBe(reason);
    void ask("probe");
    await clock.asleep(2);
    asleep.abort(reason);
    await first;
    clock.advance(1000);
    await settle();
    const behind = new AbortController();
    const second = expect(ask("b", behind.signal)).rejects.toBe(reason);
    behind.abort(reason);
    await second;
    await expect(ask("c", AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.sleepers).toBe(0);
  });
});

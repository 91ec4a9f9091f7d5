import fc from "fast-check";
import { expect, test } from "vitest";
import { Slots } from "../../src/service/http/slots.js";

const never = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("slots are given in the order of asking, retries first", async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const release = await slots.acquire(never);
  const ask = async (name: string, isRetry = false) => {
    const done = await slots.acquire(never, isRetry);
    order.push(name);
    done();
  };
  const all = [ask("a"), ask("b"), ask("retry 1", true), ask("retry 2", true), ask("c")];
  await settle();
  expect(order).toEqual([]);
  release();
  await Promise.all(all);
  expect(order).toEqual(["retry 1", "retry 2", "a", "b", "c"]);
});

test("a slot is handed on: nobody takes it in between, and giving it back twice does nothing", async () => {
  const slots = new Slots(1);
  const release = await slots.acquire(never);
  let got = "";
  const waiting = slots.acquire(never).then((done) => {
    got += "waiting ";
    return done;
  });
  release();
  release();
  const late = slots.acquire(never).then(() => {
    got += "late ";
  });
  const done = await waiting;
  await settle();
  expect(got).toBe("waiting ");
  done();
  await late;
  expect(got).toBe("waiting late ");
});

test("leaving the queue takes effect at once and costs no slot", async () => {
  const slots = new Slots(1);
  const release = await slots.acquire(never);
  const reason = new Error("enough");
  const leaver = new AbortController();
  const left = expect(slots.acquire(leaver.signal)).rejects.toBe(reason);
  const next = slots.acquire(never);
  leaver.abort(reason);
  await left;
  await expect(slots.acquire(leaver.signal)).rejects.toBe(reason);
  release();
  (await next)();
  (await slots.acquire(never))();
});

test("however askers come, leave and finish, the count is kept and nobody is forgotten", async () => {
  const asker = fc.record({ leaves: fc.boolean(), isRetry: fc.boolean(), turns: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(asker, { maxLength: 30 }), async (count, askers) => {
      const slots = new Slots(count);
      let held = 0;
      const runs = askers.map(async ({ leaves, isRetry, turns }) => {
        const controller = new AbortController();
        const turn = slots.acquire(controller.signal, isRetry);
        if (leaves) controller.abort(new Error("left"));
        const release = await turn;
        held += 1;
        expect(held).toBeLessThanOrEqual(count);
        for (let i = 0; i < turns; i += 1) await settle();
        held -= 1;
        release();
      });
      const outcomes = await Promise.allSettled(runs);
      for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason.message).toBe("left");
      const all = await Promise.all(Array.from({ length: count }, () => slots.acquire(never)));
      expect(all).toHaveLength(count);
    }),
    { numRuns: 50 },
  );
});

import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { CallSignal, onAbort } from "../../src/util/callSignal.js";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a CallSignal", () => {
  test("aborts with the first of its sources, and with no later one", () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const call = new CallSignal([one.signal, undefined, two.signal], (reason) => `because of ${reason}`);
    two.abort("two");
    one.abort("one");
    expect(call.signal.reason).toBe("because of two");
    expect(one.signal.aborted).toBe(true);
  });

  test("aborts immediately if a source has aborted", () => {
    expect(new CallSignal([AbortSignal.abort("before")]).signal.reason).toBe("before");
  });

  test("is not aborted by its sources after its release", () => {
    const source = new AbortController();
    const call = new CallSignal([source.signal]);
    call.release();
    source.abort();
    expect(call.signal.aborted).toBe(false);
    call.abort("later");
    expect(call.signal.reason).toBe("later");
  });

  test("warns of no leak, however many there are, and leaves no listener behind", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const source = new AbortController();
    const calls = Array.from({ length: 100 }, () => new CallSignal([source.signal]));
    for (const call of calls.slice(1)) call.release();
    await new Promise(setImmediate);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
    expect(listeners(source.signal)).toBe(1);
    source.abort();
    expect(calls.map(({ signal }) => signal.aborted).filter(Boolean)).toHaveLength(1);
    expect(listeners(source.signal)).toBe(0);
  });
});

test("onAbort calls back once, and not after unsubscribing", () => {
  const source = new AbortController();
  const heard: string[] = [];
  onAbort(source.signal, () => heard.push("one"));
  const unsubscribe = onAbort(source.signal, () => heard.push("two"));
  unsubscribe();
  unsubscribe();
  source.abort();
  onAbort(source.signal, () => heard.push("already aborted"))();
  expect(heard).toEqual(["one", "already aborted"]);
});

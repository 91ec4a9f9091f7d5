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

  test("shares one listener per source, and leaves none behind", () => {
    const source = new AbortController();
    const calls = Array.from({ length: 1000 }, () => new CallSignal([source.signal]));
    expect(listeners(source.signal)).toBe(1);
    for (const call of calls.slice(1)) call.release();
    expect(listeners(source.signal)).toBe(1);
    calls[0]?.release();
    expect(listeners(source.signal)).toBe(0);
    const again = new CallSignal([source.signal]);
    source.abort();
    expect(again.signal.aborted).toBe(true);
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

import { expect, test, vi } from "vitest";
import { systemClock } from "../service/clocks.js";

test("the system clock sleeps, and leaves no timer behind when aborted", async () => {
  vi.useFakeTimers();
  try {
    let over = false;
    const nap = systemClock.sleep(5000).then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(4999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await nap;

    const controller = new AbortController();
    const reason = new Error("enough");
    const stopped = expect(systemClock.sleep(5000, controller.signal)).rejects.toBe(reason);
    controller.abort(reason);
    await stopped;
    await expect(systemClock.sleep(0, controller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);

    // setTimeout takes anything beyond 24.8 days for 1 ms.
    const month = 30 * 86_400_000;
    let slept = false;
    const long = systemClock.sleep(month).then(() => {
      slept = true;
    });
    await vi.advanceTimersByTimeAsync(month - 1);
    expect(slept).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await long;
  } finally {
    vi.useRealTimers();
  }
});

import { describe, expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/index.js";
import { createProgressDisplay, duration, type Timers } from "../../../src/notebook/display/progressDisplay.js";

/** A clock that moves only when a test advances it. */
class ManualClock implements Timers {
  time = 0;
  readonly #due = new Map<() => void, number>();

  now(): number {
    return this.time;
  }

  schedule(ms: number, run: () => void): () => void {
    const once = () => run();
    this.#due.set(once, this.time + ms);
    return () => void this.#due.delete(once);
  }

  get pending(): number {
    return this.#due.size;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = [...this.#due].filter(([, at]) => at <= end).sort(([, a], [, b]) => a - b);
      if (next === undefined) break;
      this.#due.delete(next[0]);
      this.time = next[1];
      next[0]();
    }
    this.time = end;
  }
}

/** Collects the displays of a progress reporter, with the time of each update. */
function progressOnScreen(): {
  displays: Array<Array<{ at: number; text: string; html: string }>>;
  clock: ManualClock;
  report: (event: Partial<ProgressEvent>) => void;
} {
  const clock = new ManualClock();
  const displays: Array<Array<{ at: number; text: string; html: string }>> = [];
  const progress = createProgressDisplay((first) => {
    const shown: Array<{ at: number; text: string; html: string }> = [];
    const update = (bundle: Record<string, unknown>) =>
      void shown.push({ at: clock.time, text: String(bundle["text/plain"]), html: String(bundle["text/html"]) });
    update(first);
    displays.push(shown);
    return { update };
  }, clock);
  const report = (event: Partial<ProgressEvent>) => {
    const { rows = 0, seconds = clock.time / 1000 } = event;
    const whole = {
      operation: "mentions",
      call: 1,
      pages: 2,
      requests: 2,
      most: undefined,
      waiting: undefined,
      verdict: undefined,
    };
    progress({ ...whole, rows, seconds, rate: seconds > 0 ? rows / seconds : 0, ...event } as ProgressEvent);
  };
  return { displays, clock, report };
}

describe("a call", () => {
  it("shows no bar for one page or less than half a second", () => {
    const { displays, clock, report } = progressOnScreen();
    report({ rows: 100, pages: 1 });
    report({ rows: 100, pages: 1, verdict: "complete" });
    clock.advance(900);
    report({ rows: 100, pages: 1, seconds: 0.9, call: 2 });
    report({ rows: 100, pages: 1, seconds: 0.9, call: 2, verdict: "capped", reason: "one page" });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3 });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3, waiting: 0.5 });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3, verdict: "complete" });
    expect(displays).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("shows the progress, and the remaining time if known", () => {
    const { displays, clock, report } = progressOnScreen();
    clock.advance(2000);
    report({ rows: 1624, pages: 17, requests: 18, maxItems: 5000 });
    expect(displays[0]?.[0]?.text).toBe(
      "mentions · 1,624 of 5,000 rows · 17 pages, 18 requests · 812 rows/s · about 5 s left",
    );
    expect(displays[0]?.[0]?.html).toContain('aria-valuemax="5000" aria-valuenow="1624"');
    expect(displays[0]?.[0]?.html).toContain('style="width:32.5%"');
    clock.advance(1000);
    report({ rows: 3000 });
    expect(displays[0]?.[1]?.text).toBe("mentions · 3,000 rows · 2 pages, 2 requests · 1,000 rows/s");
    expect(displays[0]?.[1]?.html).toContain("animation-delay:-3.0s");
  });

  it("updates at most ten times a second and ends with the final state", () => {
    const { displays, clock, report } = progressOnScreen();
    clock.advance(1000);
    for (let n = 0; n <= 1000; n++) {
      report({ rows: n });
      clock.advance(1);
    }
    clock.advance(1000);
    const shown = displays[0] ?? [];
    expect(displays).toHaveLength(1);
    expect(shown.length).toBeGreaterThanOrEqual(10);
    expect(shown.length).toBeLessThanOrEqual(12);
    for (const [at, { at: time }] of shown.entries())
      if (at > 0) expect(time - (shown[at - 1]?.at ?? 0)).toBeGreaterThanOrEqual(100);
    expect(shown.at(-1)?.text).toContain("1,000 rows ");
    expect(clock.pending).toBe(0);
  });

  it("counts down while waiting, then continues", () => {
    const { displays, clock, report } = progressOnScreen();
    report({ rows: 40, waiting: 2.5 });
    clock.advance(5000);
    expect(displays[0]?.map(({ at, text }) => [at, text.split(" · ").at(-1)])).toEqual([
      [0, "waiting 3 s to retry"],
      [1000, "waiting 2 s to retry"],
      [2000, "waiting 1 s to retry"],
      [2500, "retrying"],
    ]);
    expect(clock.pending).toBe(0);
    report({ rows: 80, seconds: 5 });
    expect(displays[0]?.at(-1)?.text).toContain(" · 16 rows/s");
    report({ rows: 80, waiting: 60 });
    clock.advance(150);
    report({ rows: 100, seconds: 6 });
    clock.advance(60_000);
    expect(displays[0]?.at(-1)?.text).toContain("100 rows ");
  });

  it("collapses to a summary, however it ends", () => {
    const { displays, clock, report } = progressOnScreen();
    for (const [call, end] of [
      { verdict: "complete" as const },
      { verdict: "capped" as const, reason: "maxItems" },
      { verdict: "stopped" as const, reason: "ABORTED" },
      { verdict: "stopped" as const, reason: "RATE_LIMITED" },
    ].entries()) {
      report({ call, rows: 40, waiting: 30 });
      report({ call, rows: 1500, pages: 15, requests: 16, seconds: 3.2, ...end });
    }
    clock.advance(60_000);
    expect(displays.map((shown) => shown.map(({ text }) => text.split(" · ").at(-1)))).toEqual([
      ["waiting 30 s to retry", "complete"],
      ["waiting 30 s to retry", "capped by maxItems"],
      ["waiting 30 s to retry", "interrupted"],
      ["waiting 30 s to retry", "stopped: RATE_LIMITED"],
    ]);
    expect(displays[1]?.[1]?.text).toBe("mentions · 1,500 rows in 15 pages, 16 requests, 4 s · capped by maxItems");
    expect(displays[1]?.[1]?.html).not.toContain("progressbar");
    expect(clock.pending).toBe(0);
  });

  it("has a progress bar per call", () => {
    const { displays, clock, report } = progressOnScreen();
    clock.advance(1000);
    report({ call: 1, operation: "bills", rows: 20 });
    report({ call: 2, rows: 30 });
    report({ call: 1, operation: "bills", rows: 20, verdict: "complete" });
    clock.advance(1000);
    report({ call: 2, rows: 90 });
    expect(displays.map((shown) => shown.map(({ text }) => text.slice(0, 18)))).toEqual([
      ["bills · 20 rows · ", "bills · 20 rows in"],
      ["mentions · 30 rows", "mentions · 90 rows"],
    ]);
  });

  it("keeps every message small", () => {
    const { displays, clock, report } = progressOnScreen();
    clock.advance(1000);
    report({ rows: 2_000_000, maxItems: 5_000_000 });
    expect(displays[0]?.[0]?.html.length).toBeLessThan(1500);
  });
});

it("duration() formats seconds", () => {
  expect([0, 0.4, 59.2, 61, 3599, 7325].map(duration)).toEqual([
    "0 s",
    "1 s",
    "1 min 0 s",
    "1 min 1 s",
    "59 min 59 s",
    "2 h 2 min",
  ]);
});

it("a bar that waits keeps no process alive", () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const progress = createProgressDisplay(() => ({ update: () => undefined }));
  const event = { operation: "mentions", call: 1, rows: 1, pages: 2, requests: 2, seconds: 1, rate: 1 };
  progress({ ...event, waiting: 60 } as ProgressEvent);
  expect(timers()).toBe(before);
  progress({ ...event, verdict: "complete" } as ProgressEvent);
});

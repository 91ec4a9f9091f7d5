import { describe, expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/index.js";
import { createProgressDisplay, duration } from "../../../src/notebook/display/progressDisplay.js";

/** Collects the displays of a progress reporter. */
function progressOnScreen(): {
  displays: Array<Array<{ text: string; html: string }>>;
  report: (event: Partial<ProgressEvent>) => void;
} {
  const displays: Array<Array<{ text: string; html: string }>> = [];
  const progress = createProgressDisplay((first) => {
    const shown: Array<{ text: string; html: string }> = [];
    const update = (bundle: Record<string, unknown>) =>
      void shown.push({ text: String(bundle["text/plain"]), html: String(bundle["text/html"]) });
    update(first);
    displays.push(shown);
    return { update };
  });
  const report = (event: Partial<ProgressEvent>) => {
    const { rows = 0, seconds = 1 } = event;
    const whole = { operation: "mentions", call: 1, pages: 2, requests: 2, waiting: undefined, verdict: undefined };
    progress({ ...whole, rows, seconds, rate: rows / seconds, ...event } as ProgressEvent);
  };
  return { displays, report };
}

describe("a call", () => {
  it("shows no bar for one page or less than half a second", () => {
    const { displays, report } = progressOnScreen();
    report({ rows: 100, pages: 1 });
    report({ rows: 100, pages: 1, verdict: "complete" });
    report({ rows: 100, pages: 1, seconds: 0.9, call: 2 });
    report({ rows: 100, pages: 1, seconds: 0.9, call: 2, verdict: "capped", reason: "one page" });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3 });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3, waiting: 0.5 });
    report({ rows: 100, pages: 5, seconds: 0.4, call: 3, verdict: "complete" });
    expect(displays).toEqual([]);
  });

  it("shows the progress, and the remaining time if known", () => {
    const { displays, report } = progressOnScreen();
    report({ rows: 1624, pages: 17, requests: 18, maxItems: 5000, seconds: 2 });
    expect(displays[0]?.[0]?.text).toBe(
      "mentions · 1,624 of 5,000 rows · 17 pages, 18 requests · 812 rows/s · about 5 s left",
    );
    expect(displays[0]?.[0]?.html).toContain('<progress aria-label="mentions" max="5000" value="1624" ');
    report({ rows: 3000, seconds: 3 });
    expect(displays[0]?.[1]?.text).toBe("mentions · 3,000 rows · 2 pages, 2 requests · 1,000 rows/s");
    expect(displays[0]?.[1]?.html).not.toContain("<progress");
  });

  it("collapses to a summary, however it ends", () => {
    const { displays, report } = progressOnScreen();
    for (const [call, end] of [
      { verdict: "complete" as const },
      { verdict: "capped" as const, reason: "maxItems" },
      { verdict: "stopped" as const, reason: "ABORTED" },
      { verdict: "stopped" as const, reason: "RATE_LIMITED" },
    ].entries()) {
      report({ call, rows: 40, waiting: 30 });
      report({ call, rows: 1500, pages: 15, requests: 16, seconds: 3.2, ...end });
    }
    expect(displays.map((shown) => shown.map(({ text }) => text.split(" · ").at(-1)))).toEqual([
      ["waiting 30 s to retry", "complete"],
      ["waiting 30 s to retry", "capped by maxItems"],
      ["waiting 30 s to retry", "interrupted"],
      ["waiting 30 s to retry", "stopped: RATE_LIMITED"],
    ]);
    expect(displays[1]?.[1]?.text).toBe("mentions · 1,500 rows in 15 pages, 16 requests, 4 s · capped by maxItems");
    expect(displays[1]?.[1]?.html).not.toContain("<progress");
  });

  it("has a bar of its own, and small messages", () => {
    const { displays, report } = progressOnScreen();
    report({ call: 1, operation: "bills", rows: 20 });
    report({ call: 2, rows: 2_000_000, maxItems: 5_000_000 });
    report({ call: 1, operation: "bills", rows: 20, verdict: "complete" });
    expect(displays.map((shown) => shown.map(({ text }) => text.slice(0, 18)))).toEqual([
      ["bills · 20 rows · ", "bills · 20 rows in"],
      ["mentions · 2,000,0"],
    ]);
    expect(displays[1]?.[0]?.html.length).toBeLessThan(1500);
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

import { expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/index.js";
import { createProgressDisplay, duration } from "../../../src/notebook/display/progressDisplay.js";

/** Collects the displays of a progress reporter. */
function progressOnScreen() {
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

it("a call of one page or less than half a second shows no bar", () => {
  const { displays, report } = progressOnScreen();
  report({ rows: 100, pages: 1, seconds: 0.9 });
  report({ rows: 100, pages: 1, seconds: 0.9, verdict: "capped", reason: "one page" });
  report({ rows: 100, pages: 5, seconds: 0.4, call: 3, waiting: 0.5 });
  report({ rows: 100, pages: 5, seconds: 0.4, call: 3, verdict: "complete" });
  expect(displays).toEqual([]);
});

it("a call shows its progress, the remaining time if known, and a summary at its end, however it ends", () => {
  const { displays, report } = progressOnScreen();
  report({ rows: 1624, pages: 17, requests: 18, maxItems: 5000, seconds: 2 });
  report({ rows: 3000, seconds: 3 });
  report({ call: 2, rows: 40, waiting: 30 });
  report({ rows: 5000, pages: 50, requests: 51, seconds: 5.2, verdict: "capped", reason: "maxItems" });
  report({ call: 2, rows: 40, verdict: "stopped", reason: "ABORTED" });
  expect(displays.map((shown) => shown.map(({ text }) => text))).toEqual([
    [
      "mentions · 1,624 of 5,000 rows · 17 pages, 18 requests · 812 rows/s · about 5 s left",
      "mentions · 3,000 rows · 2 pages, 2 requests · 1,000 rows/s",
      "mentions · 5,000 rows in 50 pages, 51 requests, 6 s · capped by maxItems",
    ],
    ["mentions · 40 rows · 2 pages, 2 requests · waiting 30 s to retry", expect.stringMatching(/ · interrupted$/)],
  ]);
  const bars = displays[0]?.map(({ html }) =>
    html.includes('<progress aria-label="mentions" max="5000" value="1624" '),
  );
  expect(bars).toEqual([true, false, false]);
  expect([59.2, 3599, 7325].map(duration)).toEqual(["1 min 0 s", "59 min 59 s", "2 h 2 min"]);
});

import { expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/index.js";
import { createProgressDisplay, duration } from "../../../src/notebook/display/progressDisplay.js";
import { progressEvent } from "../../scan/progressEvent.js";

/** Collects the displays of a progress reporter. */
function progressOnScreen() {
  const displays: Array<Array<Record<string, string>>> = [];
  const progress = createProgressDisplay((first) => {
    const shown = [first as Record<string, string>];
    displays.push(shown);
    return { update: (bundle) => void shown.push(bundle as Record<string, string>) };
  });
  const report = ({ rows = 0, seconds = 1, ...changes }: Partial<ProgressEvent>) =>
    progress(progressEvent({ rows, seconds, pages: 2, requests: 2, rate: rows / seconds, ...changes }));
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
  expect(displays.map((shown) => shown.map((bundle) => bundle["text/plain"]))).toEqual([
    [
      "mentions · 1,624 of 5,000 rows · 17 pages, 18 requests · 812 rows/s · about 5 s left",
      "mentions · 3,000 rows · 2 pages, 2 requests · 1,000 rows/s",
      "mentions · 5,000 rows in 50 pages, 51 requests, 6 s · capped by maxItems",
    ],
    ["mentions · 40 rows · 2 pages, 2 requests · waiting 30 s to retry", expect.stringMatching(/ · interrupted$/)],
  ]);
  const bar = '<progress aria-label="mentions" max="5000" value="1624" ';
  const bars = displays[0]?.map((bundle) => bundle["text/html"]?.includes(bar));
  expect(bars).toEqual([true, false, false]);
  expect([59.2, 3599, 7325].map(duration)).toEqual(["1 min 0 s", "59 min 59 s", "2 h 2 min"]);
});

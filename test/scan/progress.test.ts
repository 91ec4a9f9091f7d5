import { describe, expect, it } from "vitest";
import { progressLine, terminalBar } from "../../src/calls/progress.js";
import type { ProgressEvent } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { startPagedServer } from "./pagedServer.js";

const event = (more: Partial<ProgressEvent>): ProgressEvent => ({
  harvest: 1,
  operation: "mentions",
  rows: 2400,
  pages: 24,
  requests: 24,
  seconds: 3,
  rate: 800.4,
  most: undefined,
  waiting: undefined,
  verdict: undefined,
  reason: undefined,
  ...more,
});

describe("progress", () => {
  it("is told of each page, of waits, and of the end", async () => {
    await using server = await startPagedServer({
      rows: 250,
      instead: (_offset, index) => (index === 1 ? { status: 503, body: {} } : undefined),
    });
    const events: ProgressEvent[] = [];
    await using archive = clientTo(server, { progress: (one) => events.push(one), concurrency: 1 });
    await archive.mentions("x", { maxItems: 250 });
    expect(events.map(({ rows, waiting, verdict }) => [rows, waiting, verdict])).toEqual([
      [100, undefined, undefined],
      [100, 0, undefined],
      [200, undefined, undefined],
      [250, undefined, undefined],
      [250, undefined, "capped"],
    ]);
    expect(events[0]).toMatchObject({ operation: "mentions", most: 250, pages: 1 });
    expect(events.at(-1)).toMatchObject({ pages: 3, requests: 4 });
  });

  it("refuses what is no reporter", () => {
    expect(() => clientTo({ baseUrl: "http://127.0.0.1:9" }, { progress: "yes" as never })).toThrow(/invalid progress/);
  });

  it("reads well in one line", () => {
    expect(progressLine(event({ most: 5000 }))).toBe("mentions  2,400 of 5,000 rows  24 requests  800 rows/s");
    expect(progressLine(event({ waiting: 11.2 }))).toBe("mentions  2,400 rows  24 requests  waiting 12 s");
  });

  it("on a terminal is a line after a second, ten times a second at most, and wiped at the end", () => {
    const written: string[] = [];
    const bar = terminalBar({ columns: 30, write: (text) => written.push(text) }, 1);
    for (const seconds of [0.2, 0.9, 1.1, 1.15, 1.25]) bar(event({ seconds }));
    bar(event({ verdict: "complete" }));
    expect(written).toEqual([
      "\rmentions  2,400 rows  24 requ\x1b[K",
      "\rmentions  2,400 rows  24 requ\x1b[K",
      "\r\x1b[K",
    ]);
    const quiet: string[] = [];
    const short = terminalBar({ write: (text) => quiet.push(text) }, 1);
    short(event({ seconds: 0.5 }));
    short(event({ seconds: 0.6, verdict: "complete" }));
    expect(quiet).toEqual([]);
  });
});

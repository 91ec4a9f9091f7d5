import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventText, progressLine, terminalLine } from "../../src/call/progress.js";
import { openArchive, type ProgressEvent } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { progressText, summaryBundle } from "../notebook/bundles.js";
import { errorOf } from "../service/helpers.js";
import { onceAt, pagedArchive } from "./pagedServer.js";
import { progressEvent } from "./progressEvent.js";

const root = temporaryFolder();

describe("progress", () => {
  it("reports each page, each wait, and the end", async () => {
    const events: ProgressEvent[] = [];
    const { archive } = await pagedArchive(
      { rows: 250, instead: (_offset, index) => (index === 1 ? { status: 503, body: {} } : undefined) },
      { progress: (one) => events.push(one), concurrency: 1 },
    );
    await archive.mentions("x", { maxItems: 250 });
    expect(events.map(({ query }) => query)).toEqual(Array(events.length).fill("x"));
    expect(events.map(({ rows, waiting, verdict }) => [rows, waiting, verdict])).toEqual([
      [100, undefined, undefined],
      [100, 0, undefined],
      [200, undefined, undefined],
      [250, undefined, undefined],
      [250, undefined, "capped"],
    ]);
    expect(events[0]).toMatchObject({ operation: "mentions", maxItems: 250, pages: 1 });
    expect(events.at(-1)).toMatchObject({ pages: 3, requests: 4 });
  });

  it("shows how many pages of a save were resumed", async () => {
    const events: ProgressEvent[] = [];
    const failures: Record<number, ReturnType<typeof onceAt>> = {
      300: onceAt(300, { status: 403 }),
      400: onceAt(400, { status: 403 }),
    };
    const { archive } = await pagedArchive(
      { rows: 430, unnumbered: true, instead: (...request) => failures[request[0]]?.(...request) },
      { progress: (one) => events.push(one) },
    );
    const path = join(root, "a.csv");
    await errorOf(archive.save("mentions", path, { query: "x" }), Error);
    expect(events.every(({ resumed }) => resumed === undefined)).toBe(true);
    await errorOf(archive.save("mentions", path, { query: "x" }), Error);
    events.length = 0;
    await archive.save("mentions", path, { query: "x" });
    // Each page counts once.
    const [{ resumed: first = 0 } = {}] = events;
    expect(first).toBe(4);
    expect(events.map(({ resumed }) => resumed)).toEqual(Array(events.length).fill(first));
    expect(events.at(-1)).toMatchObject({ rows: 430, verdict: "complete" });

    const resumed = progressEvent({ resumed: 4 });
    expect(progressLine(resumed)).toMatch(/ {2}resumed from 4 pages$/);
    expect(progressText(resumed)).toContain(" · resumed from 4 pages · ");
    expect(progressText(progressEvent({}))).not.toContain("resumed");
    expect(summaryBundle({ ...resumed, resumed: 1, verdict: "complete" })["text/plain"]).toContain(
      " · resumed from 1 page · complete",
    );
  });

  it("rejects an invalid reporter", () => {
    expect(() => clientTo({ baseUrl: "http://127.0.0.1:9" }, { progress: "yes" as never })).toThrow(/invalid progress/);
  });

  it("formats a progress event as one line", () => {
    expect(progressLine(progressEvent({ maxItems: 5000 }))).toBe(
      "mentions  2,400 of 5,000 rows  24 requests  800 rows/s",
    );
    expect(progressLine(progressEvent({ pace: 2 }))).toMatch(/ {2}slowed to 2\.0 requests\/s by the service$/);
    expect(progressLine(progressEvent({ waiting: 11.2 }))).toBe("mentions  2,400 rows  24 requests  waiting 12 s");
    expect(progressLine(progressEvent({ query: "climate\nchange" }))).toMatch(
      /^mentions climate change {2}2,400 rows {2}/,
    );
    expect(progressLine(progressEvent({ query: "q".repeat(500) }))).toMatch(/^mentions q{24}… {2}2,400 rows {2}/);
    expect(progressText(progressEvent({ query: '"clean air"' }))).toMatch(/^mentions "clean air" · 2,400 rows · /);
    expect(summaryBundle(progressEvent({ query: "<b>", verdict: "complete" }))["text/html"]).toContain(
      "mentions &lt;b&gt; · ",
    );
  });

  it("names searches by their query, lookups by their id", async () => {
    const events: ProgressEvent[] = [];
    await using archive = await openArchive({ announce: false, progress: (one) => events.push(one) });
    await Promise.all([archive.bills("budget"), archive.person(6153)]);
    const named = events.filter(({ verdict }) => verdict !== undefined).map((one) => eventText(one));
    expect(named.sort()).toEqual(["bills budget", "person 6153"]);
  });

  it("shows a wait on a terminal at once", () => {
    const written: string[] = [];
    const line = terminalLine({ write: (text) => written.push(text) }, 1);
    line(progressEvent({ seconds: 0.2, waiting: 3 }));
    line(progressEvent({ seconds: 0.3, verdict: "complete" }));
    expect(written.map((line) => /waiting \d+ s/.exec(line)?.[0])).toEqual(["waiting 3 s", undefined]);
  });

  it("is one line on a terminal, shown after a second, updated at most ten times a second, and erased at the end", () => {
    const written: string[] = [];
    const line = terminalLine({ columns: 30, write: (text) => written.push(text) }, 1);
    for (const seconds of [0.2, 0.9, 1.1, 1.15, 1.25]) line(progressEvent({ seconds }));
    line(progressEvent({ verdict: "complete" }));
    expect(written).toEqual([
      "\rmentions  2,400 rows  24 requ\x1b[K",
      "\rmentions  2,400 rows  24 requ\x1b[K",
      "\r\x1b[K",
    ]);
    const quiet: string[] = [];
    const short = terminalLine({ write: (text) => quiet.push(text) }, 1);
    short(progressEvent({ seconds: 0.5 }));
    short(progressEvent({ seconds: 0.6, verdict: "complete" }));
    expect(quiet).toEqual([]);
  });
});

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Corpus, cross } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { runs } from "../scale.js";
import { corpusOf, untilComplete } from "./corpora.js";
import { find, servedRows, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

const searches = cross({ query: ["alpha", "beta"], mindate: "2024-09-01" });
const lookups = [] as const;

const today = fakeDates();

const idsOf = async (corpus: Corpus) => toRecords(await corpus.mentions().collect()).map(({ id }) => id);
const byId = async (corpus: Corpus) =>
  new Map(toRecords(await corpus.mentions().collect()).map((row) => [row.id, row] as const));
/** The files of a table are replaced by renaming: the inode tells those that were derived. */
const partsOf = (dir: string) =>
  new Map(
    (readdirSync(join(dir, "tables"), { recursive: true }) as string[])
      .filter((path) => path.startsWith("mentions") && path.endsWith(".parquet"))
      .map((path) => [path, statSync(join(dir, "tables", path)).ino]),
  );
const monthOf = (path: string) => path.replace(/^.*year=(\d+).month=(\d+).*$/, "$1-$2");

describe("a refresh", () => {
  it("counts and dates what was added, changed, vanished and came back, with few requests", async () => {
    const all = servedRows(400);
    const first = all.filter(({ begintime }) => begintime < "2024-12-20");
    await using service = await startCorpusService(first);
    today("2024-12-20");
    const corpus = await corpusOf(service, { searches, window: "month", lookups });
    const built = await corpus.build();

    // In December, six rows: one is changed, one is gone.
    const december = first.filter(({ begintime, text }) => begintime > "2024-12-05" && text.includes("alpha"));
    const [changed, gone] = december.slice(2) as [(typeof all)[0], (typeof all)[0]];
    const later = all
      .filter(({ id }) => id !== gone.id)
      .map((row) => (row.id === changed.id ? { ...row, text: `${row.text} again` } : row));
    service.rows = later;
    today("2024-12-28");
    const before = service.server.requests.length;
    const summary = await corpus.refresh({ lag: "10d" });
    const added = (await idsOf(corpus)).length - built.mentions;
    expect(summary).toMatchObject({ verdict: "complete", changed: 1, vanished: 1, returned: 0 });
    expect(summary.mentions).toBe(built.mentions + added);
    expect(added).toBeGreaterThan(0);
    expect(summary.requests).toBe(service.server.requests.length - before);
    expect(summary.requests).toBeLessThan(built.requests / 2);
    const rows = await byId(corpus);
    expect(dayOf(rows.get(changed.id)?.changed)).toBe("2024-12-28");
    expect(rows.get(changed.id)?.text).toBe(`${changed.text} again`);
    expect(dayOf(rows.get(changed.id)?.first_seen)).toBe("2024-12-20");
    expect(dayOf(rows.get(gone.id)?.vanished)).toBe("2024-12-28");
    expect(
      toRecords(corpus.changes({ since: "2024-12-28" }))
        .map(({ change }) => change)
        .sort(),
    ).toEqual([...Array(added).fill("added"), "changed", "vanished"].sort());

    service.rows = [...later, gone];
    today("2024-12-29");
    expect(await corpus.refresh()).toMatchObject({ verdict: "complete", changed: 0, vanished: 0, returned: 1 });
    expect((await byId(corpus)).get(gone.id)?.vanished).toBe(null);
    // The same rows as a build of today.
    const fresh = await corpusOf(service, { searches, window: "month", lookups });
    await fresh.build();
    expect((await idsOf(corpus)).sort()).toEqual((await idsOf(fresh)).sort());
    const rowsOf = async (one: Corpus) =>
      toRecords(one.searches()).map(({ search, span, rows: count }) => [search, span, count]);
    expect(await rowsOf(corpus)).toEqual(await rowsOf(fresh));
  });

  it("without windows asks for the last days only, and goes on after maxRequests", async () => {
    const all = servedRows(400);
    const days = (from: string, to: string) => all.filter(({ begintime }) => begintime >= from && begintime < to);
    await using service = await startCorpusService(days("2024-09-01", "2024-11-20"));
    today("2024-11-20");
    const [one, other] = [
      await corpusOf(service, { searches, lookups }),
      await corpusOf(service, { searches, lookups }),
    ];
    const built = await one.build();
    await other.build();
    service.rows = days("2024-09-01", "2024-11-24");
    today("2024-11-24");
    const whole = await one.refresh({ lag: "3d" });
    expect(whole.requests).toBeLessThan(built.requests / 2);
    expect(whole).toMatchObject({ verdict: "complete", vanished: 0, changed: 0 });
    const found = (query: string) => find(service.rows, { query }).length;
    const rows = toRecords(one.searches()).map((row) => row.rows);
    expect(rows.sort()).toEqual([found("alpha"), found("beta")].sort());
    const { requests } = await untilComplete(() => other.refresh({ lag: "3d", maxRequests: 2 }), 20);
    // Each time, the last page of an unfinished window is asked again.
    expect(requests).toBeGreaterThanOrEqual(whole.requests);
    expect(requests).toBeLessThanOrEqual(2 * whole.requests);
    expect(tableBytes(other.dir)).toEqual(tableBytes(one.dir));
  });

  it("derives the months of the days that it asks again, and no others, with windows and without", async () => {
    const cases = fc.record({
      window: fc.constantFrom(undefined, "week" as const, "month" as const),
      day: fc.integer({ min: 0, max: 60 }),
      lags: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 3 }),
    });
    const all = servedRows(300);
    const dayAt = (day: number) => new Date(Date.UTC(2024, 9, 1 + day)).toISOString().slice(0, 10);
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, day, lags }) => {
        const until = (last: string) => all.filter(({ begintime }) => begintime.slice(0, 10) <= last);
        await using service = await startCorpusService(until(dayAt(day)));
        today(dayAt(day));
        const from = cross({ query: ["alpha", "beta"], mindate: "2024-01-01" });
        const corpus = await corpusOf(service, { pageSize: 50, searches: from, window, lookups });
        await corpus.build();
        for (const [at, lag] of lags.entries()) {
          const now = dayAt(day + 3 * (at + 1));
          const before = partsOf(corpus.dir);
          service.rows = until(now);
          today(now);
          await corpus.refresh({ lag: `${lag}d` });
          // A window, a day that the service may count elsewhere, and the day before that is asked without windows.
          const first = dayAt(day + 3 * at - lag - 2 - (window === "month" ? 31 : window === "week" ? 7 : 0));
          const derived = [...partsOf(corpus.dir)].filter(([path, inode]) => before.get(path) !== inode);
          expect(derived.length).toBeGreaterThan(0);
          expect(derived.filter(([path]) => monthOf(path) < first.slice(0, 7))).toEqual([]);
        }
      }),
      { numRuns: runs(4, 100) },
    );
  });

  it("after 1 % of new rows sends at most 5 % of the requests of a build", async () => {
    const rows = servedRows(600);
    const last = rows.at(-6)?.begintime as string;
    await using service = await startCorpusService(rows.filter(({ begintime }) => begintime < last));
    today(last.slice(0, 10));
    const all = cross({ query: ["row"], mindate: "2024-01-01" });
    const corpus = await corpusOf(service, { pageSize: 5, searches: all, window: "week", lookups });
    const build = await corpus.build();
    service.rows = rows;
    today("2024-12-30");
    const refresh = await corpus.refresh({ lag: "2d" });
    expect([build.mentions, refresh.mentions]).toEqual([594, 600]);
    expect(refresh.requests / build.requests).toBeLessThanOrEqual(0.05);
  });
});

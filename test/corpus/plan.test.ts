import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { find, servedRows, startCorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

const root = temporaryFolder();
const ROWS = servedRows(400);
const days = { mindate: "2024-01-01", maxdate: "2024-02-29" };
const lookups = [] as const;

describe("a plan", () => {
  it("knows rows and requests of every window, and a build does not ask for its pages again", async () => {
    await using service = await startCorpusService(ROWS);
    const archive = clientTo(service, { pageSize: 5 });
    const searches = cross({ query: ["row", "alpha", "gamma"], ...days, topic: "greek" });
    // Without windows, searches of 45 pages are counted by number.
    for (const window of ["month", undefined] as const) {
      const start = service.server.requests.length;
      const corpus = await openCorpus(join(root, `plan-${window}`), { archive, searches, window, lookups });
      const rows = toRecords(await corpus.plan());
      expect(rows).toHaveLength(window === undefined ? 3 : 6);
      for (const { query: asked, mindate, maxdate, rows: counted, verdict, topic, done } of rows) {
        const day = (date: unknown) => (date as Date).toISOString().slice(0, 10);
        const query = String(asked);
        const url = `/mentions?${new URLSearchParams({ query, mindate: day(mindate), maxdate: day(maxdate) })}`;
        expect({ counted, verdict, topic, done }).toEqual({
          counted: find(ROWS, { url }).length,
          verdict: "exact",
          topic: "greek",
          done: false,
        });
      }
      const planned = rows.reduce((sum, { requests }) => sum + Number(requests), 0);
      const before = service.server.requests.length;
      expect((await corpus.plan()).height).toBe(rows.length);
      expect(service.server.requests.length).toBe(before);
      const { requests } = await corpus.build();
      expect([window, requests]).toEqual([window, planned]);
      const urls = service.server.requests.slice(start).map(({ url }) => url);
      expect(new Set(urls).size).toBe(urls.length);
      const unplanned = await openCorpus(join(root, `build-${window}`), { archive, searches, window, lookups });
      const alone = await unplanned.build();
      expect(requests).toBeLessThan(alone.requests * 0.95);
      const after = await corpus.plan();
      expect(toRecords(after).every((row) => row.done === true && row.requests === 0)).toBe(true);
      const ids = async (one: typeof corpus) => (await one.hits().collect()).select("search", "id", "window").rows();
      expect(await ids(corpus)).toEqual(await ids(unplanned));
      expect(tableBytes(corpus.dir)).toEqual(tableBytes(unplanned.dir));
    }
  });

  it("leaves nulls where maxRequests does not suffice", async () => {
    await using service = await startCorpusService(ROWS);
    const searches = cross({ query: ["alpha", "beta"], ...days });
    const corpus = await openCorpus(join(root, "capped"), {
      archive: clientTo(service, { pageSize: 10 }),
      searches,
      window: "month",
    });
    const plan = toRecords(await corpus.plan({ maxRequests: 3 }));
    expect(service.server.requests).toHaveLength(3);
    expect(plan.filter(({ rows }) => rows === null).length).toBeGreaterThan(0);
  });
});

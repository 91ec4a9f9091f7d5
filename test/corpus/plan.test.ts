import { describe, expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { toRecords, ValidationError } from "../../src/index.js";
import { seededRandom } from "../../src/util/seededRandom.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { corpusOf } from "./corpora.js";
import { find, servedRows, startCorpusService } from "./corpusServer.js";
import { dayOf } from "./dates.js";

const ROWS = servedRows(400);
const days = { mindate: "2024-01-01", maxdate: "2024-12-30" };
const lookups = [] as const;

describe("a plan", () => {
  it("is cheap, and the requests of the build are within its interval for nine of ten corpora", async () => {
    const corpora = runs(5, 40);
    let within = 0;
    for (let seed = 1; seed <= corpora; seed++) {
      const random = seededRandom(seed);
      const rows = servedRows(200 + Math.floor(random() * 800)).filter(
        ({ begintime }) => random() < 0.2 || begintime < "2024-07",
      );
      await using service = await startCorpusService(rows);
      const searches = cross({ query: ["row", "alpha", "beta", "gamma"].slice(0, 1 + (seed % 4)), ...days });
      const window = seed % 3 === 0 ? "month" : "week";
      const corpus = await corpusOf(service, { searches, window, ...(seed % 2 === 0 && { lookups }) });
      const plan = await corpus.plan({ quota: "60/m" });
      expect(plan.sent).toBe(service.server.requests.length);
      const { requests } = await corpus.build();
      expect(plan.sent).toBeLessThanOrEqual(Math.max(20, 0.05 * requests + 1));
      expect(plan.minutes).toBeCloseTo(plan.requests / 60, 6);
      if (plan.low <= requests && requests <= plan.high) within++;
    }
    expect(within / corpora).toBeGreaterThanOrEqual(corpora < 10 ? 0.8 : 0.9);
  });

  it("with exact counts every window, and the build sends what it says", async () => {
    await using service = await startCorpusService(ROWS);
    const searches = cross({ query: ["row", "alpha"], ...days, topic: "greek" });
    const corpus = await corpusOf(service, { searches, window: "month", lookups });
    const plan = await corpus.plan({ exact: true });
    for (const { query, mindate, maxdate, rows, topic, done } of toRecords(plan.searches)) {
      const search = { query: String(query), mindate: String(dayOf(mindate)), maxdate: String(dayOf(maxdate)) };
      expect({ rows, topic, done }).toEqual({ rows: find(ROWS, search).length, topic: "greek", done: false });
    }
    expect(plan).toMatchObject({ windows: 24, counted: 24, low: plan.requests, high: plan.requests });
    expect((await corpus.build()).requests).toBe(plan.requests);
    const after = await corpus.plan();
    expect(after).toMatchObject({ windows: 0, sent: 0, requests: 0, low: 0, high: 0 });
    expect(toRecords(after.searches).every(({ done }) => done === true)).toBe(true);
  });

  it.each(["10", "x/h", "0/h", "5/y", 7])("refuses the quota %j", async (quota) => {
    await using service = await startCorpusService(ROWS);
    const corpus = await corpusOf(service, { searches: cross({ query: "row" }) });
    const { message } = await errorOf(corpus.plan({ quota: quota as string }), ValidationError);
    expect(message).toContain("invalid quota");
    expect(service.server.requests).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { ValidationError } from "../../src/index.js";
import { seededRandom } from "../../src/util/hash.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { corpusOf } from "./corpora.js";
import { servedRows, startCorpusService } from "./corpusServer.js";

const days = { mindate: "2024-01-01", maxdate: "2024-12-30" };

describe("a plan", () => {
  it("enters the build, whose requests are within its interval for eight of ten corpora", async () => {
    const corpora = runs(5, 100);
    const missed: string[] = [];
    for (let seed = 1; seed <= corpora; seed++) {
      const random = seededRandom(seed);
      const one = <T>(...values: readonly [T, ...T[]]) => values[Math.floor(random() * values.length)] as T;
      // Rows all over the year, in its first half, or in bursts.
      const spread = one<(time: string) => boolean>(
        () => true,
        (time) => time < "2024-07" || random() < 0.2,
        (time) => Number(time.slice(8, 10)) < 4 || random() < 0.3,
      );
      const rows = servedRows(one(200, 500, 1000)).filter(({ begintime }) => spread(begintime));
      await using service = await startCorpusService(rows);
      const query = ["row", "alpha", "beta", "gamma", "nothing"].slice(0, one(2, 3, 5));
      const window = one("month", "week", "quarter");
      const corpus = await corpusOf(service, { searches: cross({ query, ...days }), window, pageSize: one(5, 10) });
      const plan = await corpus.plan({ quota: "60/m" });
      expect(plan.sent).toBe(service.server.requests.length);
      expect(plan.minutes).toBeCloseTo(plan.requests / 60, 0);
      const { requests, windows } = await corpus.build();
      expect(plan.windows).toBe(windows.total);
      const urls = service.server.requests.map(({ url }) => url);
      expect(urls).toHaveLength(new Set(urls).size);
      if (requests < plan.low || requests > plan.high) missed.push(`${seed}: ${requests}, ${plan.text}`);
    }
    expect(missed.length / corpora, missed.join("\n")).toBeLessThanOrEqual(0.2);
  });

  it("is exact if it has fetched all windows, and says so in one line", async () => {
    await using service = await startCorpusService(servedRows(100));
    const corpus = await corpusOf(service, { searches: cross({ query: "row", ...days }), window: "month" });
    const { text, ...plan } = await corpus.plan();
    expect(plan).toMatchObject({ windows: 12, counted: 12, rows: 100, requests: 0, low: 0, high: 0, minutes: null });
    expect(text).toBe(`100 rows, 0 requests left; 12 of 12 windows fetched with ${plan.sent} requests`);
    expect((await corpus.build()).requests).toBe(0);
  });

  it("leaves out a search that fails, and says which", async () => {
    await using service = await startCorpusService(servedRows(100));
    const corpus = await corpusOf(service, { searches: cross({ query: ["row", "beta"], ...days }), window: "quarter" });
    service.instead = ({ url }) => (url.includes("query=beta") ? { status: 400, body: {} } : undefined);
    const { failed } = await corpus.plan();
    expect(failed.map(({ query, code }) => [query, code])).toEqual([["beta", "HTTP_ERROR"]]);
  });

  it.each(["10", "x/h", "0/h", "5/y", 7])("refuses the quota %j", async (quota) => {
    await using service = await startCorpusService([]);
    const corpus = await corpusOf(service, { searches: cross({ query: "row" }) });
    const { message } = await errorOf(corpus.plan({ quota: quota as string }), ValidationError);
    expect(message).toContain("invalid quota");
    expect(service.server.requests).toEqual([]);
  });
});

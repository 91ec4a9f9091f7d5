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
    const corpora = runs(5, 200);
    let within = 0;
    const missed: string[] = [];
    for (let seed = 1; seed <= corpora; seed++) {
      const random = seededRandom(seed);
      const one = <T>(...values: readonly [T, ...T[]]) => values[Math.floor(random() * values.length)] as T;
      // Rows all over the year, in its first half, in a week of it, or in bursts; speakers and programs few, many, or a new one per row.
      const spread = one<(time: string) => boolean>(
        () => true,
        (time) => time < "2024-07" || random() < 0.2,
        (time) => time.startsWith("2024-05-1") || random() < 0.1,
        (time) => Number(time.slice(8, 10)) < 4 || random() < 0.3,
      );
      const ids = one(5, 30, 200, 100_000);
      const rows = servedRows(one(50, 200, 500, 1000))
        .filter(({ begintime }) => spread(begintime))
        .map((row, at) => ({ ...row, personid: 100 + ((at * 7) % ids), programid: 5000 + (Math.floor(at / 4) % ids) }));
      await using service = await startCorpusService(rows);
      const query = ["row", "alpha", "beta", "gamma", "nothing"].slice(0, one(1, 2, 3, 5));
      const shape = {
        searches: cross({ query, ...days }),
        window: one("month", "week", "quarter", "day"),
        pageSize: one(5, 10, 10, 50),
        ...(random() < 0.3 && { lookups }),
      } as const;
      const corpus = await corpusOf(service, shape);
      if (random() < 0.25) await corpus.build({ maxRequests: one(5, 20, 60) });
      const before = service.server.requests.length;
      const plan = await corpus.plan({ quota: "60/m" });
      expect(plan.sent).toBe(service.server.requests.length - before);
      const { requests } = await corpus.build();
      // What the plan has fetched is a part of the build.
      expect(plan.sent).toBeLessThanOrEqual(Math.max(20, 0.05 * (plan.sent + requests) + 1));
      expect(plan.minutes).toBeCloseTo(plan.requests / 60, 6);
      if (plan.low <= requests && requests <= plan.high) within++;
      else missed.push(`${seed}: ${requests} of ${plan.low} to ${plan.high}`);
    }
    expect(within / corpora, missed.join("\n")).toBeGreaterThanOrEqual(corpora < 10 ? 0.8 : 0.9);
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

  it("leaves out a search that fails, and says which", async () => {
    await using service = await startCorpusService(ROWS);
    const searches = cross({ query: ["row", "alpha", "beta"], ...days });
    const corpus = await corpusOf(service, { searches, window: "month", lookups: [] });
    service.instead = ({ url }) => (url.includes("query=beta") ? { status: 400, body: {} } : undefined);
    const { low, high, windows, failed: inPlan } = await corpus.plan();
    const { requests, failed } = await corpus.build();
    expect([windows, failed.length]).toEqual([36, 1]);
    expect(inPlan).toEqual(failed);
    expect(requests).toBeGreaterThanOrEqual(low);
    expect(low).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(high + 12);
  });

  it.each(["10", "x/h", "0/h", "5/y", 7])("refuses the quota %j", async (quota) => {
    await using service = await startCorpusService(ROWS);
    const corpus = await corpusOf(service, { searches: cross({ query: "row" }) });
    const { message } = await errorOf(corpus.plan({ quota: quota as string }), ValidationError);
    expect(message).toContain("invalid quota");
    expect(service.server.requests).toEqual([]);
  });
});

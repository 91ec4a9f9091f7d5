import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cross, type OpenCorpusOptions } from "../../src/corpus/index.js";
import { FULL, runs } from "../scale.js";
import { corpusOf, untilComplete, workOf } from "./corpora.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

const ROWS = servedRows(120);
const searches = cross({ query: ["alpha", "beta", "gamma"], mindate: "2024-01-01", maxdate: "2024-02-29" });

const open = (service: CorpusService, more: Pick<OpenCorpusOptions, "lookups"> = {}) =>
  corpusOf(service, { searches, window: "year", ...more });

/** Refuses some URLs twice. Which ones depends on the seed, not on the order of the requests, and a client tries four times. */
function unreliable(service: CorpusService, seed: number): void {
  const attempts = new Map<string, number>();
  service.instead = ({ url }) => {
    const attempt = attempts.get(url) ?? 0;
    attempts.set(url, attempt + 1);
    const kind = crc32(`${seed} ${url}`) % 16;
    if (attempt >= 2 || kind > 4) return undefined;
    return kind === 0 ? { status: 429, headers: { "retry-after": "0" }, body: {} } : { status: 500, body: {} };
  };
}

describe("a build with maxRequests", () => {
  it("never sends more, and asks for nothing twice", async () => {
    await using service = await startCorpusService(ROWS);
    const whole = await open(service);
    const once = await whole.build();
    expect(once).toMatchObject({ verdict: "complete", requests: service.server.requests.length });
    for (const maxRequests of [13, 4, 37].slice(0, runs(1, 3))) {
      const before = service.server.requests.length;
      const corpus = await open(service);
      const { requests } = await untilComplete(async () => {
        const start = service.server.requests.length;
        const summary = await corpus.build({ maxRequests });
        expect(summary.requests).toBe(service.server.requests.length - start);
        expect(summary.requests).toBeLessThanOrEqual(maxRequests);
        if (summary.verdict !== "complete") expect(summary).toMatchObject({ verdict: "capped", reason: "maxRequests" });
        return summary;
      }, 500);
      expect(requests).toBe(once.requests);
      expect(service.server.requests.length - before).toBe(requests);
      expect(tableBytes(corpus.dir)).toEqual(tableBytes(whole.dir));
      expect(workOf(corpus)).toEqual([]);
    }
  });

  it("of 1 gets on by a page in every run, and checks the end of a window that several runs have read", async () => {
    await using service = await startCorpusService(ROWS);
    const options = { searches: searches.slice(0, FULL ? 3 : 1), window: "year", lookups: [] } as const;
    const once = await corpusOf(service, options);
    await once.build();
    const sent = service.server.requests.length;
    const corpus = await corpusOf(service, options);
    const { requests } = await untilComplete(() => corpus.build({ maxRequests: 1 }), 50);
    expect(requests).toBe(sent + options.searches.length);
    expect(tableBytes(corpus.dir)).toEqual(tableBytes(once.dir));
  });

  it("counts retries", async () => {
    await using service = await startCorpusService(ROWS);
    const whole = await open(service);
    await whole.build();
    for (let seed = 1; seed <= runs(1, 20); seed++) {
      unreliable(service, seed);
      const corpus = await open(service);
      await untilComplete(async () => {
        const start = service.server.requests.length;
        const summary = await corpus.build({ maxRequests: 16 });
        expect(service.server.requests.length - start).toBeLessThanOrEqual(16);
        return summary;
      }, 500);
      const ids = async (one: typeof corpus) => [...(await one.mentions().collect()).getColumn("id").toArray()];
      expect(await ids(corpus)).toEqual(await ids(whole));
    }
  });

  it("of 0 sends nothing", async () => {
    await using service = await startCorpusService(ROWS);
    const corpus = await open(service);
    expect(await corpus.build({ maxRequests: 0 })).toMatchObject({ verdict: "capped", requests: 0, mentions: 0 });
    expect(service.server.requests).toEqual([]);
    expect((await corpus.mentions().collect()).height).toBe(0);
  });
});

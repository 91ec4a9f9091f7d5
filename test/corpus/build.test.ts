import { rmSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import type { EmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, ArchiveError, pl, toRecords } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { startGeneratedArchive } from "../tools/startGenerated.js";
import { corpusOf } from "./corpora.js";
import { find, servedRows, startCorpusService } from "./corpusServer.js";
import { secondOf } from "./dates.js";

const root = temporaryFolder();
let service: EmbeddedArchive;
let archive: ArchiveClient;
beforeAll(async () => {
  service = await startGeneratedArchive({ size: LONG ? 30_000 : 3000 });
  archive = new ArchiveClient({ baseUrl: service.baseUrl, apiKey: service.apiKey });
});
afterAll(async () => {
  await archive.close();
  await service.close();
});

const days = { mindate: "2024-01-01", maxdate: "2024-03-31" };

describe("a build", () => {
  it("has every mention once, and every hit, in windows or not", async () => {
    const searches = cross({ query: ["the", "climate", "energy"], videotype: ["Speech", "Debate"], ...days });
    const rows = new Map<string, object>();
    const hits = new Set<string>();
    for (const search of searches) {
      for await (const row of archive.iterRecords("mentions", search as { query: string })) {
        rows.set(row.id as string, row);
        hits.add(`${search.query} ${search.videotype} ${row.id}`);
      }
    }
    expect(rows.size).toBeGreaterThan(20);
    for (const window of LONG ? ([undefined, "month"] as const) : (["month"] as const)) {
      const corpus = await openCorpus(join(root, `all-${window}`), { archive, searches, window });
      const summary = await corpus.build();
      const total = window === undefined ? 6 : 18;
      expect(summary).toMatchObject({
        verdict: "complete",
        reason: null,
        windows: { done: total, total },
        added: rows.size,
      });
      const mentions = toRecords(await corpus.mentions().drop("first_seen", "changed", "vanished", "round").collect());
      const sent = (row: Record<string, unknown>) => ({ ...row, begintime: secondOf(row.begintime as Date) });
      expect(new Map(mentions.map((row) => [row.id, sent(row)]))).toEqual(new Map([...rows]));
      expect(mentions).toHaveLength(rows.size);
      const parameters = new Map(
        toRecords(corpus.searches()).map((row) => [row.search, JSON.parse(row.parameters as string)]),
      );
      const found = toRecords(await corpus.hits().collect()).map(({ search, id }) => {
        const { query, videotype } = parameters.get(search);
        return `${query} ${videotype} ${id}`;
      });
      expect(found.sort()).toEqual([...hits].sort());
      const people = toRecords(await corpus.people().collect());
      const known = new Set(people.map(({ id }) => id));
      expect(known.size).toBe(people.length);
      const spoken = [...rows.values()].map((row) => (row as { personid: number }).personid).filter((id) => id > 0);
      expect([...known].sort()).toEqual([...new Set(spoken)].sort());
      expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0, added: 0, mentions: rows.size });
    }
  });

  it("is told by the corpus as a value: what is missing, what the runs took, how far each search is", async () => {
    const searches = [
      { query: "climate", ...days },
      { query: "energy\u001b[2J", ...days },
    ];
    const corpus = await openCorpus(join(root, "told"), { archive, searches, window: "month", lookups: [] });
    expect(inspect(corpus)).toMatch(/2 searches by month, 0 of 6 windows, .*\nmissing: 6 windows; await corpus.build/s);
    const { requests: first } = await corpus.build({ maxRequests: 4 });
    const { requests: second } = await corpus.build();
    const rows = corpus
      .searches()
      .filter(pl.col("query").eq(pl.lit("climate")))
      .getColumn("rows")
      .sum();
    const text = inspect(corpus);
    expect(text).toMatch(
      new RegExp(
        `\\nlast run: build of [-\\d]{10}, complete, ${second} requests; all 2 runs: ${first + second} requests\\n`,
      ),
    );
    expect(text).toMatch(new RegExp(`\\nclimate 2024-01-01 2024-03-31 +3/3 +${rows} +[-\\d]{10}\\n`));
    expect(["missing", "\u001b"].filter((part) => text.includes(part))).toEqual([]);
  });

  it("says which search failed, merges the others, and goes on", async () => {
    const rows = servedRows(120);
    await using server = await startCorpusService(rows);
    const refuseBeta = ({ url }: { url: string }) =>
      url.includes("query=beta") ? { status: 400, body: { message: "no" } } : undefined;
    server.instead = refuseBeta;
    const searches = cross({ query: ["alpha", "beta", "gamma"], ...days });
    const corpus = await corpusOf(server, { searches, window: "month" });
    const stopped = await corpus.build();
    expect(stopped).toMatchObject({ verdict: "stopped", reason: "HTTP_ERROR", windows: { done: 6, total: 9 } });
    expect(stopped.failed.map(({ query, code }) => [query, code])).toEqual([["beta", "HTTP_ERROR"]]);
    expect((await corpus.info()).failed).toEqual(stopped.failed);
    const count = (query: string) => find(rows, { query, ...days }).length;
    expect((await corpus.hits().collect()).height).toBe(count("alpha") + count("gamma"));
    server.instead = () => undefined;
    expect(await corpus.build()).toMatchObject({
      verdict: "complete",
      hits: count("alpha") + count("beta") + count("gamma"),
    });
    expect((await corpus.info()).failed).toEqual([]);
    const runs = pl.readParquet(join(corpus.dir, "tables/runs/part.parquet")).sort("began").toRecords();
    expect(runs.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["stopped", "HTTP_ERROR"],
      ["complete", null],
    ]);
    server.instead = refuseBeta;
    const { failed } = await corpus.refresh({ lag: "9999d" });
    expect(failed).toHaveLength(1);
    // It asks nothing, so it does not know better.
    expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0 });
    expect((await corpus.info()).failed).toEqual(failed);
    rmSync(join(corpus.dir, "corpus.duckdb"));
    await corpus.build();
    expect((await corpus.info()).failed).toEqual(failed);
    const never = await corpusOf(server, { searches });
    const [beta] = (await never.build()).failed;
    await never.remove(String(beta?.search));
    expect((await never.info()).failed).toEqual([]);
    server.instead = () => undefined;
    await corpus.refresh({ lag: "9999d" });
    expect((await corpus.info()).failed).toEqual([]);
  });

  it("looks up what can be looked up if some lookups fail", async () => {
    await using server = await startCorpusService(servedRows(120));
    const corpus = await corpusOf(server, { searches: cross({ query: "row", ...days }) });
    const isBad = ({ url }: { url: string }) => /\/people\/1.5|\/programs\/5001/.test(url);
    for (const answer of [{ status: 500, body: {} }, { raw: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{" }]) {
      server.instead = (request) => (isBad(request) ? answer : undefined);
      await errorOf(corpus.build(), ArchiveError);
      expect(await corpus.info()).toMatchObject({ people: 18, programs: 29, lookupsMissing: 3 });
    }
    server.instead = () => undefined;
    expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 3 });
  });

  it("stops at an abort, and goes on", async () => {
    await using server = await startCorpusService(servedRows(120));
    const controller = new AbortController();
    let requests = 0;
    server.instead = () => {
      if (++requests === 12) controller.abort();
      return undefined;
    };
    const searches = cross({ query: ["row", "alpha"], ...days });
    const corpus = await corpusOf(server, { pageSize: 2, searches });
    const stopped = { code: "ABORTED", message: expect.stringContaining("0 of 2 windows are in the tables") };
    expect(await errorOf(corpus.build({ signal: AbortSignal.abort() }), ArchiveError)).toMatchObject(stopped);
    expect(requests).toBe(0);
    expect(await errorOf(corpus.build({ signal: controller.signal }), ArchiveError)).toMatchObject({ code: "ABORTED" });
    const { requests: rest, verdict, hits } = await corpus.build();
    expect(verdict).toBe("complete");
    const once = await corpusOf(server, { pageSize: 2, searches });
    const whole = await once.build();
    expect(hits).toBe(whole.hits);
    expect(rest).toBeLessThan(whole.requests - 6);
  });

  it("asks nothing again when days are split otherwise", async () => {
    const rows = servedRows(30);
    const periods = [undefined, "day", "week", "month", "quarter", "year", "congress"] as const;
    for (const before of periods.slice(1))
      for (const after of periods.filter((one) => one !== before)) {
        await using server = await startCorpusService(rows);
        // From a Monday on, which could be the name of its week.
        const searches = cross({ query: ["row"], mindate: "2024-04-01", maxdate: "2024-04-15" });
        const corpus = await corpusOf(server, { searches, window: before, lookups: [] });
        const { requests: _requests, ...built } = await corpus.build();
        const other = await corpusOf(server, { dir: corpus.dir, window: after });
        const again = await other.build();
        expect([before, after, again.requests, again.hits]).toEqual([before, after, 0, built.hits]);
        expect((await other.verify()).problems).toEqual([]);
      }
  });

  it("names weeks as ISO 8601 does", async () => {
    await using server = await startCorpusService([]);
    const searches = [
      { query: "row", mindate: "2020-12-27", maxdate: "2021-01-10" },
      { query: "row", mindate: "2024-12-29", maxdate: "2024-12-31" },
    ];
    const corpus = await corpusOf(server, { searches, window: "week", lookups: [] });
    await corpus.build();
    const spans = toRecords(corpus.searches()).map(({ span }) => span);
    expect(spans).toEqual(["2020-W52", "2020-W53", "2021-W01", "2024-W52", "2025-W01"]);
  });

  it("splits a search that the service does not follow to its end", async () => {
    const rows = servedRows(200);
    await using server = await startCorpusService(rows);
    server.instead = (_request, offset) => (offset >= 40 ? { status: 400, body: { message: "too deep" } } : undefined);
    const searches = cross({ query: ["row"], mindate: "2024-01-01", maxdate: "2024-12-31" });
    const corpus = await corpusOf(server, { searches, lookups: [] });
    expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: 200, hits: 200 });
    const windows = toRecords(await corpus.searches().collect()).map((row) => row.span as string);
    expect(windows.length).toBeGreaterThanOrEqual(5);
    expect(windows.every((window) => /^2024-\d\d-\d\d\/2024-\d\d-\d\d$/.test(window))).toBe(true);
    const again = await corpusOf(server, { dir: corpus.dir });
    expect(await again.build()).toMatchObject({ requests: 0, verdict: "complete" });
    const endless = await corpusOf(server, { searches: [{ query: "row" }], lookups: [] });
    expect((await endless.build()).failed[0]?.message).toContain("Give it a mindate, and the corpus a window");
  });
});

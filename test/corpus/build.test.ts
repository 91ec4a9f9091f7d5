import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { ArchiveClient, ArchiveError, toRecords, valuesOf, where } from "../../src/index.js";
import { mention, queryOf } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { FULL, LONG } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import type { EmbeddedArchive } from "../tools/startGenerated.js";
import { startGeneratedArchive } from "../tools/startGenerated.js";
import { corpusOf, untilComplete } from "./corpora.js";
import { find, servedRows, serveRaw, startCorpusService } from "./corpusServer.js";
import { secondOf } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

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
const mentionId = (number: number) => String((mention(number) as { id: unknown }).id);

describe("a build", () => {
  it("has every mention once, every hit, and the people and programs that were asked for, in windows or not", async () => {
    const searches = cross({ query: ["the", "climate", "energy"], videotype: ["Speech", "Debate"], ...days });
    const rows = new Map<unknown, Record<string, unknown>>();
    const hits = new Set<string>();
    for (const search of searches)
      for await (const row of archive.iterRecords("mentions", search as { query: string })) {
        rows.set(row.id, row);
        hits.add(`${search.query} ${search.videotype} ${row.id}`);
      }
    expect(rows.size).toBeGreaterThan(20);
    for (const window of LONG ? ([undefined, "month"] as const) : (["month"] as const)) {
      const lookups = ["people", "programs"] as const;
      const corpus = await openCorpus(join(root, `all-${window}`), { archive, searches, window, lookups });
      const total = window === undefined ? 6 : 18;
      const windows = { done: total, total };
      expect(await corpus.build()).toMatchObject({ verdict: "complete", reason: null, windows, added: rows.size });
      const mentions = toRecords(await corpus.mentions().collect());
      const sent = ({ first_seen, changed, vanished, run, more, ...row }: Record<string, unknown>) => ({
        ...row,
        begintime: secondOf(row.begintime as Date),
      });
      expect(new Map(mentions.map((row) => [row.id, sent(row)]))).toEqual(rows);
      expect(mentions).toHaveLength(rows.size);
      const found = await corpus.sql(
        "select query || ' ' || (parameters::json->>'videotype') || ' ' || id as hit from hits join searches using (search)",
      );
      expect([...found.getColumn("hit").toArray()].sort()).toEqual([...hits].sort());
      const people = toRecords(await corpus.people().collect()).map(({ id }) => id);
      const spoken = [...rows.values()].map(({ personid }) => Number(personid)).filter((id) => id > 0);
      expect(people.sort()).toEqual([...new Set(spoken)].sort());
      expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0, added: 0, mentions: rows.size });
    }
  });

  it("is told by the corpus as a value: what is missing", async () => {
    const searches = cross({ query: ["climate", "energy\u001b[2J"], ...days });
    const corpus = await openCorpus(join(root, "told"), { archive, searches, window: "month" });
    expect(inspect(corpus)).toMatch(/2 searches by month, 0 of 6 windows, .*\nmissing: 6 windows; await corpus.build/s);
    await corpus.build();
    expect(inspect(corpus)).toMatch(/6 of 6 windows, fetched /);
    expect(["missing", "\u001b"].filter((part) => inspect(corpus).includes(part))).toEqual([]);
  });

  it("says which search failed, lands the others, and goes on", async () => {
    const rows = servedRows(120);
    await using server = await startCorpusService(rows);
    server.instead = ({ url }) => (url.includes("query=beta") ? { status: 400, body: { message: "no" } } : undefined);
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
    const runs = toRecords(await corpus.sql("select verdict, reason from runs order by run"));
    expect(runs.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["stopped", "HTTP_ERROR"],
      ["complete", null],
    ]);
  });

  it("stops at an abort, keeps what has landed, and goes on", async () => {
    await using server = await startCorpusService(servedRows(120));
    const controller = new AbortController();
    let requests = 0;
    server.instead = () => {
      if (++requests === 30) controller.abort();
      return undefined;
    };
    const searches = cross({ query: ["row", "alpha"], ...days });
    const corpus = await corpusOf(server, { pageSize: 5, searches, window: "week" });
    expect(await errorOf(corpus.build({ signal: AbortSignal.abort() }), ArchiveError)).toMatchObject({
      code: "ABORTED",
    });
    expect(requests).toBe(0);
    expect(await errorOf(corpus.build({ signal: controller.signal }), ArchiveError)).toMatchObject({ code: "ABORTED" });
    const { requests: rest, verdict } = await corpus.build();
    expect(verdict).toBe("complete");
    const once = await corpusOf(server, { pageSize: 5, searches, window: "week" });
    const whole = await once.build();
    expect(rest).toBeLessThan(whole.requests);
    expect(toRecords(await corpus.hits().select("search", "id").collect())).toEqual(
      toRecords(await once.hits().select("search", "id").collect()),
    );
  });

  it("sends equal requests of several searches once, and each search has its hits", async () => {
    await using server = await startCorpusService(servedRows(60));
    const searches = cross({ query: "alpha", mindate: ["2024-01-01", "2024-03-01"], maxdate: "2024-06-30" });
    const corpus = await corpusOf(server, { searches, window: "month" });
    await corpus.build();
    const urls = server.server.requests.map(({ url }) => url);
    expect(new Set(urls).size).toBe(urls.length);
    const [{ n } = { n: 0 }] = toRecords(
      await corpus.sql("select count(*) as n from mentions join hits using (id) where begintime >= '2024-03-01'"),
    );
    expect(Number(n)).toBe(
      2 * find(server.rows, { query: "alpha", mindate: "2024-03-01", maxdate: "2024-06-30" }).length,
    );
  });

  it("keeps members that are not declared, values of another type, and rows without an id", async () => {
    await using server = await startCorpusService([]);
    const begintime = "2024-03-05T12:00:00Z";
    serveRaw(server, () => [
      {
        ...mention(1, { begintime }),
        rank: 12345678901234567890n.toString(),
        "a'b\"c": [1, { x: null }],
        constructor: 1,
      },
      { ...mention(2, { begintime: "in the morning", length: 5.7 }) },
      { ...mention(3, { begintime, text: "no id" }), id: null },
      { ...mention(4, { begintime }), id: 4 },
    ]);
    const corpus = await corpusOf(server, { searches: [{ query: "alpha" }] });
    expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: 4 });
    const rows = toRecords(await corpus.mentions().collect());
    const row = (text: unknown) => rows.find(({ id }) => id === text);
    expect(JSON.parse(String(row(mentionId(1))?.more))).toEqual({
      rank: "12345678901234567890",
      "a'b\"c": [1, { x: null }],
      constructor: 1,
    });
    expect(row(mentionId(2))).toMatchObject({ begintime: null, length: null });
    expect(JSON.parse(String(row(mentionId(2))?.more))).toEqual({ begintime: "in the morning", length: 5.7 });
    expect(rows.find(({ text }) => text === "no id")?.id).toMatch(/^sha256:[\da-f]{16}$/);
    expect(row("4")?.more).toBe(null);
    expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 0 });
    expect((await corpus.verify()).problems).toEqual([]);
  });

  it("lands and publishes texts as long as hearings", async () => {
    const long = "alpha ".repeat(35_000);
    const count = FULL ? 300 : 100;
    await using server = await startCorpusService([]);
    server.instead = (_request, offset) => {
      const rows = Array.from({ length: Math.min(50, count - offset) }, (_none, at) =>
        mention(7000 + offset + at, { text: `${offset + at} ${long}` }),
      );
      return { body: { cursor: String(offset + rows.length), ...(rows.length > 0 && { mentions: rows }) } };
    };
    const corpus = await corpusOf(server, { searches: [{ query: "alpha" }], pageSize: 50 });
    expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: count, added: count });
    expect(await corpus.refresh()).toMatchObject({ verdict: "complete", changed: 0, vanished: 0 });
  });
});

describe("a build with maxRequests", () => {
  const searches = cross({ query: ["alpha", "beta", "gamma"], ...days });
  const open = (server: Awaited<ReturnType<typeof startCorpusService>>) =>
    corpusOf(server, { searches, window: "month", lookups: ["people"] });

  it("never sends more, retries included, and has the rows of one without", async () => {
    await using server = await startCorpusService(servedRows(240));
    const whole = await open(server);
    await whole.build();
    let count = 0;
    server.instead = () => (++count % 9 === 0 ? { status: 500, body: {} } : undefined);
    for (const maxRequests of [13, 40]) {
      const corpus = await open(server);
      await untilComplete(async () => {
        const start = server.server.requests.length;
        const summary = await corpus.build({ maxRequests });
        expect(summary.requests).toBe(server.server.requests.length - start);
        expect(summary.requests).toBeLessThanOrEqual(maxRequests);
        if (summary.verdict !== "complete") expect(summary).toMatchObject({ verdict: "capped", reason: "maxRequests" });
        return summary;
      });
      const rowsOf = async (one: typeof corpus) => toRecords(await one.mentions().drop("run").collect());
      expect(await rowsOf(corpus)).toEqual(await rowsOf(whole));
    }
  });

  it("of 0 sends nothing, and one that no window fits says so at half of it", async () => {
    await using server = await startCorpusService(servedRows(240));
    const corpus = await corpusOf(server, { searches: cross({ query: "row", ...days }), pageSize: 2 });
    expect(await corpus.build({ maxRequests: 0 })).toMatchObject({ verdict: "capped", requests: 0, mentions: 0 });
    expect(server.server.requests).toEqual([]);
    const stopped = await corpus.build({ maxRequests: 20 });
    expect(stopped).toMatchObject({ verdict: "stopped", reason: "OUT_OF_REQUESTS", mentions: 0 });
    expect(stopped.requests).toBeLessThanOrEqual(13);
    expect(stopped.failed[0]?.message).toContain('window: "month"');
    const few = await corpus.build({ maxRequests: 1 });
    expect(few).toMatchObject({ verdict: "stopped", reason: "OUT_OF_REQUESTS", requests: 1 });
    expect(await corpus.build({ maxRequests: 50 })).toMatchObject({ verdict: "complete", failed: [] });
  });
});

describe("a refresh", () => {
  const rows = servedRows(240).map((row) => ({ ...row, text: "alpha" }));
  const searches = cross({ query: "alpha", mindate: "2024-01-01", maxdate: "2024-12-31" });

  it("reads only windows that ended within the lag, and publishes only their months", async () => {
    await using server = await startCorpusService(rows);
    const corpus = await corpusOf(server, { pageSize: 100, searches, window: "month" });
    await corpus.build();
    const before = tableBytes(corpus.dir);
    const lag = Math.ceil((Date.now() - Date.parse("2024-12-15")) / 86_400_000);
    server.rows = rows.slice(0, -1);
    const start = server.server.requests.length;
    expect(await corpus.refresh({ lag: `${lag}d` })).toMatchObject({ verdict: "complete", vanished: 1, requests: 2 });
    const urls = server.server.requests.slice(start).map(({ url }) => queryOf({ url }).mindate);
    expect(new Set(urls)).toEqual(new Set(["2024-12-01"]));
    const after = tableBytes(corpus.dir);
    const changed = Object.keys(after).filter((path) => /^(mentions|hits)/.test(path) && after[path] !== before[path]);
    expect(changed).toEqual(["hits", "mentions"].map((name) => `${name}/year=2024/month=12/part.parquet`));
  });

  it("reads a window again that misses rows, so that they have vanished only if they are gone", async () => {
    await using server = await startCorpusService(rows);
    let [isUnstable, reading] = [false, 0];
    server.instead = (request, offset) => {
      if (!isUnstable) return undefined;
      // Two rows change places between two pages, other ones in each reading.
      if (offset === 0) reading++;
      const order = find(server.rows, queryOf(request));
      const moved = order.splice(150 + reading, 1);
      if (offset > 0) order.splice(reading, 0, ...moved);
      else order.splice(150 + reading, 0, ...moved);
      const page = order.slice(offset, offset + Number(queryOf(request).limit));
      const mentions = page.map(({ id, ...row }) => mention(Number(id), row));
      return { body: { cursor: String(offset + page.length), mentions } };
    };
    const corpus = await corpusOf(server, { pageSize: 50, searches });
    await corpus.build();
    isUnstable = true;
    expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 0 });
    isUnstable = false;
    server.rows = rows.slice(1);
    expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 1 });
  });
});

it("a search that is removed leaves the corpus that others would have built without it", async () => {
  await using server = await startCorpusService(servedRows(120));
  const open = (...query: string[]) => corpusOf(server, { searches: cross({ query, ...days }), window: "month" });
  const [corpus, alone] = [await open("alpha", "beta"), await open("alpha")];
  await corpus.build();
  await alone.build();
  await expect(corpus.remove("beta")).rejects.toThrow("column search of corpus.searches()");
  await corpus.remove(valuesOf(corpus.searches().filter(where({ query: "beta" })), "search"));
  expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0 });
  expect((await corpus.verify()).problems).toEqual([]);
  const rowsOf = async (one: typeof corpus) => [
    toRecords(await one.mentions().drop("run").collect()),
    toRecords(await one.hits().drop("run").collect()),
    toRecords(one.windows().drop("run")),
  ];
  expect(await rowsOf(corpus)).toEqual(await rowsOf(alone));
  expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0 });
});

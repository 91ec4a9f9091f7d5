import { expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { pl, toRecords } from "../../src/index.js";
import { mention, queryOf } from "../client/clientTo.js";
import { FULL } from "../scale.js";
import { corpusOf } from "./corpora.js";
import { servedRow, servedRows, serveRaw, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates } from "./dates.js";

const lookups = [] as const;
const today = fakeDates();
const noon = (day: string) => Date.parse(`${day}T12:00:00Z`);

it.each([false, true])("the clock of the service decides which days have ended, planned: %s", async (isPlanned) => {
  await using service = await startCorpusService([]);
  const all = ["2024-03-05", "2024-04-05", "2024-04-25"].map((day, at) => servedRow(7000 + at, noon(day), "alpha"));
  let now = "2024-04-10";
  service.instead = (request) => {
    const { cursor, mindate = "", maxdate = "9999" } = queryOf(request);
    const found = all.filter(
      ({ begintime }) =>
        begintime.slice(0, 10) <= now && begintime.slice(0, 10) >= mindate && begintime.slice(0, 10) <= maxdate,
    );
    const mentions = cursor === undefined ? found.map(({ id, ...row }) => mention(Number(id), row)) : [];
    return { headers: { date: new Date(noon(now)).toUTCString() }, body: { cursor: "1", mentions } };
  };
  today("2024-05-20");
  const corpus = await corpusOf(service, {
    searches: [{ query: "alpha", mindate: "2024-03-01" }],
    window: "month",
    lookups,
  });
  const plan = async (refresh: boolean, windows: number) =>
    isPlanned && expect(await corpus.plan({ refresh })).toMatchObject({ windows });
  await plan(false, 2);
  expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: 2 });
  const days = toRecords(corpus.searches()).map(({ maxdate, retrieved }) => [dayOf(maxdate), dayOf(retrieved)]);
  expect(days).toEqual([
    ["2024-03-31", "2024-04-10"],
    ["2024-04-10", "2024-04-10"],
  ]);
  now = "2024-04-28";
  today("2024-06-07");
  await plan(true, 2);
  expect(await corpus.refresh()).toMatchObject({ verdict: "complete", mentions: 3, added: 1, vanished: 0 });
  expect((await corpus.verify()).problems).toEqual([]);
  // The clock of the computer was set right since.
  all.push(servedRow(7003, noon("2024-05-20"), "alpha"));
  now = "2024-05-21";
  today(now);
  await plan(true, 3);
  expect(await corpus.refresh()).toMatchObject({ verdict: "complete", mentions: 4, added: 1, vanished: 0 });
  expect((await corpus.verify()).problems).toEqual([]);
  expect(await corpus.build()).toMatchObject({ requests: 0 });
});

it.each([1, 0])("a clock that was set right before build %i moves no last day", async (builds) => {
  await using service = await startCorpusService([]);
  today("2024-07-15");
  const date = new Date(noon("2024-05-20")).toUTCString();
  service.instead = () => ({ headers: { date }, body: { cursor: "1" } });
  const searches = [{ query: "alpha", mindate: "2024-03-01" }];
  const corpus = await corpusOf(service, { searches, window: "month", lookups });
  if (builds > 0) await corpus.build({ maxRequests: 2 });
  today("2024-05-20");
  expect(await corpus.build()).toMatchObject({ verdict: "complete", windows: { done: 3 } });
  expect(
    toRecords(corpus.searches())
      .map(({ maxdate }) => dayOf(maxdate))
      .at(-1),
  ).toBe("2024-05-20");
});

it("a mention that an unstable reading misses has not vanished, and one that is gone has", async () => {
  const rows = servedRows(240).map((row) => ({ ...row, text: "alpha" }));
  await using service = await startCorpusService(rows);
  today("2025-01-10");
  let [isUnstable, reading] = [false, 0];
  service.instead = (request, offset) => {
    if (!isUnstable) return undefined;
    // Two rows change places between two pages, other ones in each reading.
    if (offset === 0) reading++;
    const { limit = "20" } = queryOf(request);
    const order = [...service.rows].sort((a, b) => (`${a.begintime}${a.id}` < `${b.begintime}${b.id}` ? 1 : -1));
    if (offset > 0)
      [order[reading], order[150 + reading]] = [
        order[150 + reading] as (typeof rows)[0],
        order[reading] as (typeof rows)[0],
      ];
    const page = order.slice(offset, offset + Number(limit));
    return {
      body: { cursor: String(offset + page.length), mentions: page.map(({ id, ...row }) => mention(Number(id), row)) },
    };
  };
  const corpus = await corpusOf(service, {
    pageSize: 50,
    searches: [{ query: "alpha", mindate: "2024-01-01", maxdate: "2024-12-31" }],
    lookups,
  });
  await corpus.build();
  isUnstable = true;
  expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 0 });
  isUnstable = false;
  service.rows = rows.slice(1);
  expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 1 });
});

it("equal requests of several searches are sent once, and each search has its hits", async () => {
  await using service = await startCorpusService(servedRows(60));
  today("2025-01-10");
  const searches = [...cross({ query: "alpha", mindate: ["2024-01-01", "2024-03-01"], maxdate: "2024-06-30" })];
  const corpus = await corpusOf(service, { searches, window: "month", lookups });
  await corpus.build();
  const urls = service.server.requests.map(({ url }) => url);
  expect(new Set(urls).size).toBe(urls.length);
  const hits = toRecords(await corpus.hits().collect());
  const later = hits.filter(({ begintime }) => (begintime as Date) >= new Date("2024-03-01"));
  expect(later.length).toBe(2 * new Set(later.map(({ id }) => id)).size);
  expect((await corpus.verify()).problems).toEqual([]);
});

it("columns that the service adds may have any name that a batch or DuckDB uses", async () => {
  await using service = await startCorpusService([]);
  const names = ["day", "place", "reading", "content", "others", "rowid", "batch_day", "", "Title", "select", `a'b"c`];
  const added = Object.fromEntries(names.map((name) => [name, `its ${name}`]));
  const begintime = "2024-03-05T12:00:00Z";
  serveRaw(service, () => [{ ...mention(1, { begintime }), ...added }]);
  today("2025-01-10");
  const corpus = await corpusOf(service, { searches: [{ query: "alpha" }], lookups });
  expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: 1 });
  const [row = {}] = toRecords(await corpus.mentions().collect());
  expect(names.map((name) => row[name] ?? row[`${name}_`])).toEqual(Object.values(added));
  expect(await corpus.refresh({ lag: "9999d" })).toMatchObject({ added: 0, changed: 0, vanished: 0 });
});

it("lands and publishes texts as long as hearings, which take more memory than the database has at first", async () => {
  const long = "alpha ".repeat(35_000);
  const count = FULL ? 300 : 100;
  await using service = await startCorpusService([]);
  service.instead = (_request, offset) => {
    const rows = Array.from({ length: Math.min(50, count - offset) }, (_none, at) =>
      mention(7000 + offset + at, { text: `${offset + at} ${long}` }),
    );
    return { body: { cursor: String(offset + rows.length), ...(rows.length > 0 && { mentions: rows }) } };
  };
  const corpus = await corpusOf(service, { searches: [{ query: "alpha" }], pageSize: 50, lookups });
  expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions: count, added: count });
  expect(await corpus.refresh()).toMatchObject({ verdict: "complete", changed: 0, vanished: 0 });
  const texts = await corpus.mentions().select("id", pl.col("text").str.lengths()).collect();
  const { id, text } = texts.toObject() as Record<string, unknown[]>;
  expect(new Set(id).size).toBe(count);
  expect(text?.every((length) => Number(length) > long.length)).toBe(true);
});

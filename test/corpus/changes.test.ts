import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Corpus, cross, openCorpus } from "../../src/corpus/index.js";
import { toRecords, ValidationError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, corpusOf } from "./corpora.js";
import { find, servedRows, startCorpusService } from "./corpusServer.js";
import { fakeDates } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

const days = { mindate: "2024-01-01", maxdate: "2024-06-30" };
const ROWS = servedRows(120);
const today = fakeDates();

it("a search that is removed leaves the corpus that others would have built without it", async () => {
  await using service = await startCorpusService(ROWS);
  today("2024-07-10");
  const corpus = await corpusOf(service, {
    searches: cross({ query: ["alpha", "beta"], ...days }),
    window: "month",
    lookups: [],
  });
  await corpus.build();
  const [beta] = toRecords(corpus.searches()).filter(({ query }) => query === "beta");
  expect((await errorOf(corpus.remove("beta"), ValidationError)).message).toContain(`${beta?.search} for "beta"`);
  const before = service.server.requests.length;
  await corpus.remove(String(beta?.search));
  const alone = await corpusOf(service, { searches: cross({ query: "alpha", ...days }), window: "month", lookups: [] });
  expect(service.server.requests).toHaveLength(before);
  expect((await corpus.verify()).problems).toEqual([]);
  await alone.build();
  expect(tableBytes(corpus.dir)).toEqual(tableBytes(alone.dir));
  expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0 });
});

it("a search that is removed from an open round lets the next refresh begin", async () => {
  await using service = await startCorpusService(ROWS);
  const corpus = await corpusOf(service, { searches: cross({ query: ["alpha", "beta"], ...days }), lookups: [] });
  await corpus.build();
  expect(await corpus.refresh({ lag: "9999d", maxRequests: 6 })).toMatchObject({ verdict: "capped" });
  const [open] = toRecords(corpus.searches()).filter(({ round }) => Number(round) === 1);
  await corpus.remove(String(open?.search));
  expect((await corpus.refresh({ lag: "9999d" })).requests).toBeGreaterThan(0);
});

it("lookups have the day on which they were made", async () => {
  await using service = await startCorpusService(ROWS);
  today("2024-07-10");
  const corpus = await corpusOf(service, { searches: cross({ query: "alpha", ...days }), lookups: [] });
  await corpus.build();
  today("2024-09-10");
  const again = await corpusOf(service, { dir: corpus.dir, lookups: ["people"] });
  await again.build();
  const [person] = toRecords(await again.people().collect());
  expect(person?.looked_up).toEqual(new Date("2024-09-10"));
});

it("people are looked up again, as the plan says, and keep the names that the service has forgotten", async () => {
  await using service = await startCorpusService(ROWS);
  today("2024-07-10");
  const searches = cross({ query: "alpha", ...days });
  const corpus = await corpusOf(service, { searches, window: "month", lookups: ["people"] });
  await corpus.build();
  const all = { lag: "9999d" };
  const person = async () => toRecords(await corpus.people().collect()).find(({ id }) => Number(id) === 104);
  const isForgotten = ({ url }: { url: string }) => url.startsWith("/people/104");
  for (const [day, isKnown, lookups] of [
    ["2025-07-10", false, 10],
    ["2025-08-11", true, 1],
  ] as const) {
    today(day);
    service.instead = (request) => (!isKnown && isForgotten(request) ? { body: { people: [] } } : undefined);
    const plan = await corpus.plan({ refresh: true, ...all });
    const { requests } = await corpus.refresh(all);
    expect([plan.lookups, plan.low <= requests && requests <= plan.high]).toEqual([lookups, true]);
    expect(await person()).toMatchObject({ name: "Person 104", resolved: isKnown, looked_up: new Date(day) });
  }
});

it("searches that are split otherwise are not asked again, and go on in the new windows", async () => {
  await using service = await startCorpusService(ROWS);
  const searches = cross({ query: "alpha", ...days });
  const corpus = await corpusOf(service, { searches, window: "month", lookups: [] });
  const { mentions } = await corpus.build();
  const archive = clientTo(service, { pageSize: 10 });
  const split = await openCorpus(corpus.dir, { archive, window: "quarter" });
  expect(await split.build()).toMatchObject({ requests: 0, verdict: "complete", windows: { done: 2, total: 2 } });
  const rowsOf = (one: Corpus) => toRecords(one.searches()).map(({ span, rows }) => [span, rows]);
  const counts = [
    ["2024-Q1", find(ROWS, { query: "alpha", ...days, maxdate: "2024-03-31" }).length],
    ["2024-Q2", find(ROWS, { query: "alpha", ...days, mindate: "2024-04-01" }).length],
  ];
  expect(rowsOf(split)).toEqual(counts);
  service.rows = ROWS.filter((_row, at) => at % 10 !== 0);
  const count = (rows: typeof ROWS) => find(rows, { query: "alpha", ...days }).length;
  const gone = count(ROWS) - count([...service.rows]);
  const restored = await corpusOf(service, { dir: copyOf(corpus.dir, (dir) => rmSync(join(dir, "corpus.duckdb"))) });
  expect((await restored.build()).requests).toBe(0);
  expect(rowsOf(restored)).toEqual(counts);
  for (const one of [split, restored])
    expect(await one.refresh({ lag: "9999d" })).toMatchObject({ mentions, vanished: gone });
  expect((await split.verify()).problems).toEqual([]);
});

it("windows find what has vanished since a search without a last day", async () => {
  await using service = await startCorpusService(ROWS);
  today("2024-12-31");
  const corpus = await corpusOf(service, { searches: [{ query: "row", mindate: "2024-01-01" }], lookups: [] });
  await corpus.build();
  service.rows = ROWS.filter((_row, at) => at < 1 || at > 3);
  const split = await corpusOf(service, { dir: corpus.dir, window: "month" });
  expect((await split.refresh({ lag: "9999d" })).vanished).toBe(3);
});

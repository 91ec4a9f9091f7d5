import { expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { corpusOf } from "./corpora.js";
import { servedRow, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates } from "./dates.js";

const today = fakeDates();

const FIRST = Date.parse("2024-03-01T00:00:00Z");

it("a mention has vanished on the day when the last search lost it", async () => {
  await using service = await startCorpusService([]);
  const corpus = await corpusOf(service, { searches: cross({ query: ["alpha", "beta"] }), lookups: [] });
  const texts = [["alpha beta"], ["beta"], []];
  for (const [at, found] of texts.entries()) {
    today(`2024-04-0${at + 1}`);
    service.rows = found.map((text) => servedRow(7000, FIRST, text));
    await (at === 0 ? corpus.build() : corpus.refresh({ lag: "9999d" }));
  }
  const [row] = toRecords(await corpus.mentions().collect());
  expect(dayOf(row?.vanished)).toBe("2024-04-03");
});

it("a mention without a time has vanished when its window does not find it again", async () => {
  today("2024-04-01");
  await using service = await startCorpusService([]);
  const untimed = { ...servedRow(7000, FIRST, "alpha"), begintime: "in the morning" };
  let found = [untimed];
  service.instead = (request, offset) => {
    const isMarch = queryOf(request).mindate === "2024-03-01";
    return { body: { cursor: "1", ...(isMarch && offset === 0 && found.length > 0 && { mentions: found }) } };
  };
  const corpus = await corpusOf(service, {
    searches: [{ query: "alpha", mindate: "2024-02-01", maxdate: "2024-03-31" }],
    window: "month",
    lookups: [],
  });
  await corpus.build();
  found = [];
  today("2024-04-02");
  await corpus.refresh({ lag: "9999d" });
  const [row] = toRecords(await corpus.mentions().collect());
  expect(dayOf(row?.vanished)).toBe("2024-04-02");
});

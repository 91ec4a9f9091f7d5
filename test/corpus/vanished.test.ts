import fc from "fast-check";
import { expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { corpusOf, untilComplete } from "./corpora.js";
import { type ServedRow, servedRow, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates } from "./dates.js";

const today = fakeDates();

const FIRST = Date.parse("2024-03-01T00:00:00Z");
const HOUR = 3_600_000;
const DAYS = 9;

/** A row every three hours, in every window and at its borders. */
const ROWS: readonly ServedRow[] = Array.from({ length: DAYS * 8 }, (_none, at) =>
  servedRow(7000 + at, FIRST + at * 3 * HOUR, `row alpha ${at % 3 === 0 ? "beta" : ""}`),
);

/** Whether a row is on the first or the last day of all windows, where another day of the service may begin. */
function isAtEnd(row: ServedRow): boolean {
  return placeOf(row) === 0 || placeOf(row) === DAYS - 1;
}

function placeOf({ begintime }: ServedRow): number {
  return Math.floor((Date.parse(begintime) - FIRST) / (24 * HOUR));
}

const searches = cross({ query: ["alpha", "beta"], mindate: "2024-03-01", maxdate: "2024-03-09" });

it("what vanishes is dated wherever its windows end, and in whatever time zone the service counts days", async () => {
  const cases = fc.record({
    window: fc.constantFrom(undefined, "day" as const, "week" as const),
    // From the refresh on, days may be split otherwise.
    later: fc.constantFrom(undefined, "day" as const, "week" as const, "month" as const),
    hoursAhead: fc.integer({ min: -12, max: 14 }),
    // How many of the last days are asked again.
    asked: fc.constantFrom(DAYS, 3),
    gone: fc.uniqueArray(fc.constantFrom(...ROWS), { maxLength: 30 }),
    maxRequests: fc.option(fc.integer({ min: 5, max: 30 }), { nil: undefined }),
  });
  const atEnds = { hoursAhead: 0, gone: ROWS.filter(isAtEnd), maxRequests: undefined };
  const examples: Array<typeof cases extends fc.Arbitrary<infer T> ? [T] : never> = [
    [{ window: undefined, later: undefined, asked: DAYS, ...atEnds }],
    [{ window: undefined, later: "day", asked: 3, ...atEnds }],
    [{ window: undefined, later: undefined, asked: 3, ...atEnds }],
    [{ window: "day", later: "month", asked: DAYS, ...atEnds }],
    [{ window: "week", later: "day", asked: DAYS, hoursAhead: 0, gone: ROWS.slice(69, 70), maxRequests: 5 }],
    // Other days than before at the ends of windows are no reason to read them again.
    [{ window: undefined, later: "week", asked: DAYS, hoursAhead: 5, gone: [], maxRequests: undefined }],
  ];
  await fc.assert(
    fc.asyncProperty(cases, async ({ window, later, asked, hoursAhead, gone, maxRequests }) => {
      await using service = await startCorpusService(ROWS);
      service.hoursAhead = hoursAhead;
      today("2024-03-25");
      let corpus = await corpusOf(service, { pageSize: 20, searches, window, lookups: [] });
      const built = toRecords(await corpus.build().then(() => corpus.mentions().collect()));
      service.rows = ROWS.filter((row) => !gone.includes(row));
      today("2024-03-26");
      corpus = await corpusOf(service, { pageSize: 20, dir: corpus.dir, window: later });
      const sent = service.server.requests.length;
      const { vanished: counted } = await untilComplete(() => corpus.refresh({ lag: `${15 + asked}d`, maxRequests }));
      const after = toRecords(await corpus.mentions().collect());
      const dated = new Set(after.filter(({ vanished }) => vanished !== null).map(({ id }) => id));
      const isAsked = (row: ServedRow) => asked === DAYS || placeOf(row) > DAYS - asked;
      const was = new Set(built.map(({ id }) => id));
      const expected = gone
        .filter((row) => was.has(row.id) && isAsked(row) && (hoursAhead === 0 || !isAtEnd(row)))
        .map(({ id }) => id);
      expect(expected.filter((id) => !dated.has(id))).toEqual([]);
      // Nothing that is still there has vanished.
      expect([...dated].filter((id) => !gone.some((row) => row.id === id))).toEqual([]);
      expect(counted).toBe(dated.size);
      const urls = service.server.requests.slice(sent).map(({ url }) => url);
      if (gone.length === 0 && maxRequests === undefined) expect(urls).toEqual([...new Set(urls)]);
    }),
    { numRuns: runs(2, 100) + examples.length, examples },
  );
});

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

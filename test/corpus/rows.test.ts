import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Corpus, openCorpus } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { corpusOf, newDirectory } from "./corpora.js";
import { find, servedRow, serveRaw, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates } from "./dates.js";

const lookups = [] as const;
const at = fakeDates();

const rowsOf = async (corpus: Corpus) => toRecords(await corpus.mentions().collect());
const textOf = async (corpus: Corpus, id: string) => (await rowsOf(corpus)).find((row) => row.id === id)?.text;

it("a window covers the days it asked, if a build is killed before deriving and refreshed a week later", async () => {
  const cases = fc.record({
    window: fc.constantFrom(undefined, "day" as const, "week" as const, "month" as const),
    maxRequests: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    hours: fc.uniqueArray(fc.integer({ min: 0, max: 20 * 24 - 1 }), { minLength: 5, maxLength: 40 }),
    lag: fc.constantFrom("3d", "30d"),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ window, maxRequests, hours, lag }) => {
      const first = Date.parse("2024-03-20T00:00:00Z");
      const all = hours.map((hour) => servedRow(7000 + hour, first + hour * 3_600_000, "alpha beta"));
      const until = (day: string) => all.filter(({ begintime }) => begintime.slice(0, 10) <= day);
      await using service = await startCorpusService(until("2024-04-01"));
      at("2024-04-01T23:30:00Z");
      const searches = ["alpha", "beta"].map((query) => ({ query, mindate: "2024-03-20" }));
      const corpus = await corpusOf(service, { pageSize: 3, searches, window, lookups });
      await corpus.build({ maxRequests });
      // What a kill between landing and publishing leaves.
      rmSync(join(corpus.dir, "tables"), { recursive: true, force: true });
      service.rows = until("2024-04-08");
      at("2024-04-08T12:00:00Z");
      for (const next of [corpus.refresh.bind(corpus, { lag }), corpus.build.bind(corpus)])
        expect((await next()).verdict).toBe("complete");
      const found = (await rowsOf(corpus)).map(({ id }) => id);
      expect(found.sort()).toEqual(service.rows.map(({ id }) => id).sort());
      expect((await corpus.verify()).problems).toEqual([]);
    }),
    { numRuns: runs(4, 200) },
  );
});

it("mentions without id, or with the id of another, are neither lost nor doubled, and are counted", async () => {
  const rowOf = fc.record({
    id: fc.constantFrom<unknown>(undefined, "", null, "1", "2", "3"),
    content: fc.integer({ min: 0, max: 5 }),
  });
  const cases = fc.record({
    rows: fc.uniqueArray(rowOf, { minLength: 1, maxLength: 20, selector: ({ id, content }) => `${id} ${content}` }),
    searches: fc.constantFrom(["alpha"], ["alpha", "beta"]),
    pageSize: fc.integer({ min: 2, max: 30 }),
  });
  const ids = [undefined, "1", "1", "2"];
  const examples: Array<typeof cases extends fc.Arbitrary<infer T> ? [T] : never> = [
    [{ rows: ids.map((id, content) => ({ id, content })), searches: ["alpha"], pageSize: 2 }],
  ];
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, searches: queries, pageSize }) => {
      at("2024-05-01T12:00:00Z");
      await using service = await startCorpusService([]);
      const sent = rows.map(({ id, content }, place) => {
        const kind = id === undefined ? "none" : JSON.stringify(id);
        return mention(0, { id, text: `${kind} ${content}`, begintime: `2024-04-${10 + content}T00:00:00Z`, place });
      });
      serveRaw(service, () => sent);
      const searches = queries.map((query) => ({ query, mindate: "2024-04-01", maxdate: "2024-04-30" }));
      const corpus = await corpusOf(service, { pageSize, searches, lookups });
      const texts = rows.map(({ id, content }) => `${id === undefined ? "none" : JSON.stringify(id)} ${content}`);
      const hasId = rows.filter(({ id }) => typeof id === "string" && id !== "");
      const counts = {
        withoutId: queries.length * (rows.length - hasId.length),
        repeatedIds: queries.length * (hasId.length - new Set(hasId.map(({ id }) => id)).size),
      };
      const check = async () => {
        const found = await rowsOf(corpus);
        expect(found.map(({ text }) => text).sort()).toEqual([...texts].sort());
        expect(new Set(found.map(({ id }) => id)).size).toBe(texts.length);
        expect((await corpus.hits().collect()).height).toBe(queries.length * texts.length);
        expect(await corpus.info()).toMatchObject(counts);
      };
      await corpus.build();
      await check();
      at("2024-05-02T12:00:00Z");
      const none = { added: 0, changed: 0, vanished: 0, returned: 0 };
      expect(await corpus.refresh({ lag: "90d" })).toMatchObject(none);
      await check();
      expect((await corpus.verify()).problems).toEqual([]);
      // None of them is missing, so no window is read twice.
      sent.push(mention(4, { text: "later" }));
      const before = service.server.requests.length;
      expect(await corpus.refresh({ lag: "90d" })).toMatchObject({ ...none, added: 1 });
      const urls = service.server.requests.slice(before).map(({ url }) => url);
      expect(urls).toEqual([...new Set(urls)]);
    }),
    { numRuns: runs(5, 300) + examples.length, examples },
  );
});

it("the latest response has the text, whatever another search got before it in the same round, and dates it", async () => {
  // What each of two searches gets, and which one is answered first: a service may revert a text in between, and one may not find it.
  const text = fc.constantFrom<string>("first", "second", "third");
  const round = fc.record({
    texts: fc.oneof<fc.Arbitrary<Array<string | undefined>>[]>(
      text.map((one) => [one, one]),
      fc.tuple(text, text),
      text.map((one) => [one, undefined]),
      text.map((one) => [undefined, one]),
    ),
    isReversed: fc.boolean(),
    isSameDay: fc.boolean(),
    /** Whether a day ends between the two responses. */
    isLate: fc.boolean(),
  });
  const cases = fc.record({
    rounds: fc.array(round, { minLength: 2, maxLength: 6 }),
    window: fc.constantFrom(undefined, "month" as const),
  });
  const answered = (texts: Array<string | undefined>, isReversed = false, isLate = false) => {
    return { texts, isReversed, isSameDay: false, isLate };
  };
  const examples = [
    // The same two texts twice, the other way round.
    [answered(["first", "first"]), answered(["second", "third"]), answered(["second", "third"], true)],
    // A search that no longer finds it had another text; the other one finds the same as before.
    [answered(["first", "second"]), answered(["first", undefined])],
    // The text of before comes after another one.
    [answered(["first", "first"]), answered(["first", "second"], true)],
    [answered(["first", "second"], false, true)],
  ].map((rounds): [{ rounds: typeof rounds; window: undefined }] => [{ rounds, window: undefined }]);
  await fc.assert(
    fc.asyncProperty(cases, async ({ rounds, window }) => {
      await using service = await startCorpusService([]);
      const archive = clientTo(service, { concurrency: 2 });
      const queries = ["alpha", "beta"];
      const searches = queries.map((query) => ({ query, mindate: "2024-04-01", maxdate: "2024-04-30" }));
      const dir = newDirectory();
      const responses: Array<{ text: string; day: string }> = [];
      let [day, minute, number] = [1, 0, 0];
      /** The rounds of which the search that is answered first has its last page, and those in which a day has ended since. */
      const [ended, late] = [new Set<number>(), new Set<number>()];
      service.instead = async (request) => {
        const { query = "", cursor } = queryOf(request);
        const { texts = [], isReversed = false, isLate = false } = rounds[number] ?? {};
        const place = queries.indexOf(query);
        while (place === (isReversed ? 0 : 1) && !ended.has(number)) await setImmediate();
        if (cursor !== undefined) {
          ended.add(number);
          return { body: { cursor } };
        }
        if (isLate && ended.has(number) && !late.has(number)) {
          day++;
          late.add(number);
        }
        at(new Date(Date.UTC(2024, 4, day, 8, ++minute)).toISOString());
        const latest = `alpha beta ${texts[place]} 7`;
        const isFound = texts[place] !== undefined;
        if (isFound) responses.push({ text: latest, day: `2024-05-${String(day).padStart(2, "0")}` });
        const both = [7, 8].map((id) => servedRow(id, Date.UTC(2024, 3, 3 + id), "alpha beta"));
        const rows = find(isFound ? both : both.slice(1), queryOf(request));
        const sent = rows.map(({ id }) => mention(Number(id), { text: id === "7" ? latest : "8" }));
        return { body: { cursor: "2", mentions: sent } };
      };
      const corpus = await openCorpus(dir, { archive, searches, window, lookups });
      for (; number < rounds.length; number++) {
        if (!rounds[number]?.isSameDay) day++;
        const before = responses.at(-1)?.text;
        const { changed } = await (number === 0 ? corpus.build() : corpus.refresh({ lag: "90d" }));
        const latest = responses.at(-1)?.text;
        expect(await textOf(corpus, "7")).toBe(latest);
        expect(changed).toBe(number === 0 || before === latest ? 0 : 1);
        const since = responses.map((one) => one.text !== latest).lastIndexOf(true);
        const row = (await rowsOf(corpus)).find(({ id }) => id === "7");
        expect(dayOf(row?.changed)).toBe(since < 0 ? null : responses[since + 1]?.day);
      }
      expect(await textOf(corpus, "8")).toBe("8");
    }),
    { numRuns: runs(7, 500) + examples.length, examples },
  );
});

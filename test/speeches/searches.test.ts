import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { idsOf } from "../scan/pagedServer.js";
import { pathOf, senator, speech, speechArchive, TEXT, withPhrase } from "./speechServer.js";

/** The requested searches: query, type, dates. */
const searches = (requests: ReadonlyArray<{ url: string }>) =>
  requests
    .filter((request) => pathOf(request as never) === "/mentions" && queryOf(request).cursor === undefined)
    .map((request) => queryOf(request))
    .map(({ query, videotype, mindate, maxdate }) => [query, videotype, mindate, maxdate]);

/** One query. */
const GIVEN = { title: "Tax Act", variants: ['"Tax Act"'] };

it("a service whose pages have any number of rows loses none", async () => {
  const forms = ["H.R. 12", "HR 12", "House Bill 12", "H.R. twelve", "Tax Act"];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...forms), { maxLength: 40 }), fc.nat(), async (texts, seed) => {
      const rows = texts.map((text, at) => speech(at, undefined, { text: `${text}.`, videoTypeId: 16 }));
      const idsIn = async (most: (of: string) => number) => {
        const { archive } = await speechArchive({
          instead: (request) => {
            const { query = "", cursor = "0", videotype, limit } = queryOf(request);
            const all = videotype === "Debate" ? [] : withPhrase(rows, query);
            const to = Math.min(all.length, Number(cursor) + Math.min(Number(limit), most(`${query} ${cursor}`)));
            return {
              body: { cursor: `${to}`, ...(Number(cursor) < to && { mentions: all.slice(Number(cursor), to) }) },
            };
          },
        });
        const bill = { title: "Tax Act", number: "H.R. 12", congress: 117 };
        const frame = await archive.speechesOnBill(bill, { chamber: "any", minConfidence: 0 });
        expect(provenanceOf(frame)?.verdict).toBe("complete");
        return frame.getColumn("id").toArray().sort();
      };
      expect(await idsIn((of) => 1 + (crc32(`${seed} ${of}`) % 9))).toEqual(await idsIn(() => 1000));
    }),
    { numRuns: runs(15, 200) },
  );
});

describe("the requests", () => {
  it("are no more than maxRequests: the speeches so far are the result", async () => {
    const rows = [1, 2, 3].map((id) => speech(id, id));
    const people = Object.fromEntries([1, 2, 3].map((id) => [id, senator(id, "Ann")]));
    for (const maxRequests of [0, 1, 3, 50]) {
      const { server, archive } = await speechArchive({
        found: (query) => (query === '"Tax Act"' ? rows : []),
        people,
      });
      const frame = await archive.speechesOnBill(GIVEN, { maxRequests });
      const isAll = maxRequests === 50;
      expect(server.requests.length).toBeLessThanOrEqual(maxRequests);
      expect(provenanceOf(frame)).toMatchObject({
        requests: server.requests.length,
        parameters: { maxRequests: String(maxRequests) },
        ...(isAll ? { verdict: "complete" } : { verdict: "capped", reason: "maxRequests" }),
      });
      if (isAll) expect(frame.height).toBe(3);
    }
  });

  it("search all video types at once, within the dates of the Congress, in pages of 1,000", async () => {
    const { server, archive } = await speechArchive();
    await archive.speechesOnBill({ title: "Tax Act", number: "s9", congress: "117th" });
    const days = ["2021-01-03", "2023-01-02"];
    expect(searches(server.requests).sort()).toEqual(
      [
        ['"S. 9"', undefined],
        ['"S. nine"', undefined],
        ['"Tax Act"', undefined],
        ['"s9"', undefined],
      ].map((search) => [...search, ...days]),
    );
    expect(new Set(server.requests.map((request) => queryOf(request).limit))).toEqual(new Set(["1000"]));
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    [{ mindate: "2022-05-01" }, "2022-05-01", undefined],
    [{ maxdate: "2022-05-01" }, undefined, "2022-05-01"],
    [{ mindate: "1999-01-01", maxdate: "2022-05-01" }, "1999-01-01", "2022-05-01"],
  ])("given dates replace those of the Congress: %o", async (dates, mindate, maxdate) => {
    const { server, archive } = await speechArchive();
    await archive.speechesOnBill({ title: "Tax Act", congress: 117, videotypes: ["Hearing"], ...dates });
    expect(searches(server.requests)).toEqual([['"Tax Act"', "Hearing", mindate, maxdate]]);
  });

  it("have no dates without a Congress, take variants as they are, and search each type once", async () => {
    const { server, archive } = await speechArchive();
    const frame = await archive.speechesOnBill({ variants: ["ira act"], videotypes: ["Speech", " Speech"] });
    expect(provenanceOf(frame)?.speeches?.variants).toHaveLength(1);
    expect(searches(server.requests)).toEqual([["ira act", "Speech", undefined, undefined]]);
  });

  it("are capped by maxItems per search, and the verdict says so", async () => {
    const rows = [...Array(300).keys()].map((at) => speech(at + 1, 7));
    const { server, archive } = await speechArchive({
      found: (_query, type) => (type === "Speech" ? rows : rows.slice(0, 5)),
      people: { 7: senator(7) },
    });
    const frame = await archive.speechesOnBill({ ...GIVEN, maxItems: 30 });
    expect(frame.height).toBe(30);
    const { verdict, reason, speeches, rows: came } = provenanceOf(frame) ?? {};
    expect([verdict, reason, came]).toEqual(["capped", "maxItems", 35]);
    expect(speeches?.variants.map((variant) => [variant.rows, variant.newRows, variant.verdict])).toEqual([
      [30, 30, "capped"],
      [5, 0, "complete"],
    ]);
    const before = server.requests.length;
    expect((await archive.speechesOnBill({ title: "Tax Act", maxItems: 0 })).height).toBe(0);
    expect(server.requests.length).toBe(before);
  });
});

describe("a speech that is found several times", () => {
  it("is merged by id: it has the row received last, and every query that found it", async () => {
    const { archive } = await speechArchive({
      found: (query, type) => {
        if (type === "Debate") return query === '"S 9"' ? [speech(1, 7), speech(3, 7)] : [];
        return query === '"Tax Act"' ? [speech(1, 7, { text: "FIRST" }), speech(2, 7)] : [speech(2, 7)];
      },
      people: { 7: senator(7) },
      client: { concurrency: 1 },
    });
    const frame = await archive.speechesOnBill({ variants: ['"Tax Act"', '"S. 9"', '"S 9"'] });
    expect(frame.select("id", "videotype", "variants", "text", "speeches").rows()).toEqual([
      ["1", "Speech", ['"Tax Act"', '"S 9"'], TEXT, 3],
      ["2", "Speech", ['"Tax Act"', '"S. 9"', '"S 9"'], TEXT, 3],
      ["3", "Debate", ['"S 9"'], TEXT, 3],
    ]);
    const { duplicates, speeches } = provenanceOf(frame) ?? {};
    expect([duplicates, speeches?.duplicates]).toEqual([3, 3]);
    expect(
      speeches?.variants.map((variant) => [variant.query, variant.videotype, variant.rows, variant.newRows]),
    ).toEqual([
      ['"Tax Act"', "Speech", 2, 2],
      ['"Tax Act"', "Debate", 0, 0],
      ['"S. 9"', "Speech", 1, 0],
      ['"S. 9"', "Debate", 0, 0],
      ['"S 9"', "Speech", 1, 0],
      ['"S 9"', "Debate", 2, 1],
    ]);
  });

  it("and shares only its id with another row of the search is kept and counted as a conflict", async () => {
    const found = (query: string) =>
      query === '"Tax Act"'
        ? [speech(1, 7, { text: "A" }), speech(1, 7, { text: "B" }), speech(2, 7)]
        : [speech(1, 7, { text: "B" }), speech(1, 7, { text: "A" }), speech(2, 7, { text: "ELSEWHERE" })];
    const { archive } = await speechArchive({ found, people: { 7: senator(7) }, client: { concurrency: 1 } });
    const bill = { variants: ['"Tax Act"', '"S. 9"', '"S 9"'], videotypes: ["Speech"] };
    const frame = await archive.speechesOnBill(bill);
    expect(frame.select("id", "text").rows()).toEqual([
      ["1", "A"],
      ["1", "B"],
      ["2", "ELSEWHERE"],
    ]);
    expect(provenanceOf(frame)).toMatchObject({ rows: 9, duplicates: 6, conflicts: 1 });
  });

  it("with several contents is in the result as it was received last", async () => {
    const queries = ['"a"', '"b"', '"c"'];
    // By query: the speeches that it finds, and which version of each.
    const versions = fc.array(fc.dictionary(fc.constantFrom("1", "2", "3"), fc.nat(2), { noNullPrototype: true }), {
      minLength: 3,
      maxLength: 3,
    });
    const textOf = (version: number) => `VERSION ${version}`;
    await fc.assert(
      fc.asyncProperty(versions, async (byQuery) => {
        const found = (query: string) =>
          Object.entries(byQuery[queries.indexOf(query)] ?? {}).map(([id, version]) =>
            speech(Number(id), 7, { text: textOf(version) }),
          );
        const { archive } = await speechArchive({ found, people: { 7: senator(7) }, client: { concurrency: 1 } });
        const frame = await archive.speechesOnBill({ variants: queries, videotypes: ["Speech"] });
        const last = new Map<string, number>();
        for (const query of queries) {
          for (const [id, version] of Object.entries(byQuery[queries.indexOf(query)] ?? {})) {
            last.set(id, version);
          }
        }
        const wanted = [...last].sort().map(([id, version]) => [id, textOf(version)]);
        expect(frame.select("id", "text").rows()).toEqual(wanted);
      }),
      { numRuns: 25 },
    );
  });
});

describe("the order of speeches", () => {
  it("is by count, name, personid, time, id", async () => {
    const at = (begintime: string | undefined) => ({ begintime });
    const rows = [
      speech(12, 30, at("2022-01-01T00:00:00Z")),
      speech(9, 30, at("2022-01-01T01:00:00+01:00")),
      speech(8, 30, at(undefined)),
      speech(7, 30, at("2021-12-31T23:59:59Z")),
      speech(20, 5),
      speech(21, 5),
      speech(30, 9),
      speech(31, 9),
      speech(40, 10),
      speech(41, 10),
      speech(50, 11),
      speech(51, 12),
    ];
    const people = {
      30: senator(30, "Zoe"),
      5: senator(5, "Ben"),
      9: senator(9, "Ann"),
      10: senator(10, "Ann"),
      11: senator(11, "Zed"),
      12: senator(12, "Eve"),
    };
    const { archive } = await speechArchive({ found: (_query, type) => (type === "Speech" ? rows : []), people });
    const frame = await archive.speechesOnBill({ title: "Tax Act" });
    expect(idsOf(frame)).toEqual([7, 9, 12, 8, 30, 31, 40, 41, 20, 21, 51, 50]);
    expect(frame.getColumn("speeches").toArray()).toEqual([4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1]);
  });
});

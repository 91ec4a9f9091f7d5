import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { idsOf } from "../scan/pagedServer.js";
import { senator, speech, speechArchive, withPhrase } from "./speechServer.js";

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

  it.each([
    [{ number: "s9", congress: "117th" }, ['"S. 9"', '"S. nine"', '"s9"'], undefined, "2021-01-03", "2023-01-02"],
    [{ title: "Tax Act", congress: 117, mindate: "2022-05-01" }, ['"Tax Act"'], undefined, "2022-05-01", undefined],
    [{ title: "Tax Act", maxdate: "2022-05-01" }, ['"Tax Act"'], undefined, undefined, "2022-05-01"],
    [{ variants: ["ira act"], videotypes: ["Hearing", " Hearing"] }, ["ira act"], "Hearing", undefined, undefined],
  ])("of %o search all types at once or each once, within dates, in pages of 1,000", async (bill, ...expected) => {
    const { server, archive } = await speechArchive();
    await archive.speechesOnBill(bill);
    const [queries, videotype, mindate, maxdate] = expected;
    const sent = server.requests.map(queryOf);
    expect(sent.map(({ query }) => query).sort()).toEqual(queries);
    for (const one of sent) expect(one).toEqual({ query: one.query, limit: "1000", videotype, mindate, maxdate });
  });

  it("are capped by maxItems per search, and the verdict says so", async () => {
    const rows = [...Array(300).keys()].map((at) => speech(at + 1, 7));
    const { server, archive } = await speechArchive({
      found: (_query, type) => (type === "Speech" ? rows : rows.slice(0, 5)),
      people: { 7: senator(7) },
    });
    const frame = await archive.speechesOnBill({ ...GIVEN, maxItems: 30 });
    const { verdict, reason, speeches, rows: received } = provenanceOf(frame) ?? {};
    expect([frame.height, verdict, reason, received]).toEqual([30, "capped", "maxItems", 35]);
    expect(speeches?.variants.map((variant) => variant.verdict)).toEqual(["capped", "complete"]);
    const before = server.requests.length;
    expect((await archive.speechesOnBill({ title: "Tax Act", maxItems: 0 })).height).toBe(0);
    expect(server.requests.length).toBe(before);
  });
});

describe("a speech that is found several times", () => {
  it("has the row received last and every query that found it", async () => {
    const queries = ['"a"', '"b"', '"c"'];
    // By query: the speeches that it finds, and which version of each.
    const versions = fc.array(fc.dictionary(fc.constantFrom("1", "2", "3"), fc.nat(2), { noNullPrototype: true }), {
      minLength: 3,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(versions, async (byQuery) => {
        const found = (query: string) =>
          Object.entries(byQuery[queries.indexOf(query)] ?? {}).map(([id, version]) =>
            speech(Number(id), 7, { text: `VERSION ${version}` }),
          );
        const { archive } = await speechArchive({ found, people: { 7: senator(7) }, client: { concurrency: 1 } });
        const frame = await archive.speechesOnBill({ variants: queries, videotypes: ["Speech"] });
        const expected = ["1", "2", "3"].flatMap((id) => {
          const finding = queries.filter((_query, at) => byQuery[at]?.[id] !== undefined);
          const version = byQuery[queries.indexOf(finding.at(-1) ?? "")]?.[id];
          return finding.length === 0 ? [] : [[id, `VERSION ${version}`, finding]];
        });
        expect(frame.select("id", "text", "variants").rows()).toEqual(expected);
        const received = byQuery.flatMap((ids) => Object.keys(ids)).length;
        expect(provenanceOf(frame)).toMatchObject({ rows: received, duplicates: received - expected.length });
      }),
      { numRuns: runs(15, 200) },
    );
  });

  it("and shares only its id with another row of the search is kept and counted as a conflict", async () => {
    const found = (query: string) =>
      query === '"Tax Act"'
        ? [speech(1, 7, { text: "A" }), speech(1, 7, { text: "B" }), speech(2, 7)]
        : [speech(1, 7, { text: "B" }), speech(1, 7, { text: "A" }), speech(2, 7, { text: "ELSEWHERE" })];
    const { archive } = await speechArchive({ found, people: { 7: senator(7) }, client: { concurrency: 1 } });
    const frame = await archive.speechesOnBill({ variants: ['"Tax Act"', '"S. 9"'], videotypes: ["Speech"] });
    expect(frame.getColumn("text").toArray()).toEqual(["A", "B", "ELSEWHERE"]);
    expect(provenanceOf(frame)).toMatchObject({ rows: 6, duplicates: 3, conflicts: 1 });
  });
});

it("the order of speeches is by count, name, personid, time, id", async () => {
  const at = (begintime: string | undefined) => ({ begintime });
  const rows = [
    speech(12, 30, at("2022-01-01T00:00:00Z")),
    speech(9, 30, at("2022-01-01T01:00:00+01:00")),
    speech(8, 30, at(undefined)),
    speech(7, 30, at("2021-12-31T23:59:59Z")),
    ...[20, 21].map((id) => speech(id, 5)),
    ...[30, 31].map((id) => speech(id, 9)),
    ...[40, 41].map((id) => speech(id, 10)),
    ...[speech(50, 11), speech(51, 12)],
  ];
  const names = { 30: "Zoe", 5: "Ben", 9: "Ann", 10: "Ann", 11: "Zed", 12: "Eve" };
  const people = Object.fromEntries(Object.entries(names).map(([id, name]) => [id, senator(Number(id), name)]));
  const { archive } = await speechArchive({ found: (_query, type) => (type === "Speech" ? rows : []), people });
  const frame = await archive.speechesOnBill({ title: "Tax Act" });
  expect(idsOf(frame)).toEqual([7, 9, 12, 8, 30, 31, 40, 41, 20, 21, 51, 50]);
  expect(frame.getColumn("speeches").toArray()).toEqual([4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1]);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { runs } from "../scale.js";
import { speech, speechArchive, withPhrase } from "./speechServer.js";

it("explains queries, dates and cost without sending a request", async () => {
  const { server, archive } = await speechArchive();
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", number: "S. 9", congress: 117 })).toBe(
    `SPEECHES ON A BILL
  bill       Tax Act, S. 9, 117th Congress
  queries    "Tax Act"           title
             "S. 9"              as typed
             "S. nine"           S. # in words
             "Tax Act's"         title in the possessive, later
             "Senate Bill 9"     Senate Bill #, later
             "S 9"               S #, later
             "S.9"               S.#, later
             "S9"                S#, later
             "Senate Bill nine"  Senate Bill # in words, later
  dates      from 2021-01-03 to 2023-01-02
  types      Speech, Debate
  speakers   those whose title has the word Senator  (senate)
  doubtful   confidence below 0.5, left out. To code a sample and measure precision and recall, type codingPage(sampleRows(await archive.speechesOnBill(bill, { minConfidence: 0 }), { rows: 100 }), book, "coding/") of archive-frames/coding
  service    ${server.baseUrl}
  requests   3 if nothing is found, at most 20 where no search finds more than a page of 1000 rows: up to 6 more searches, as the texts decide; one that confirms the end of each search with rows; 2 for the numbers of video types, unless an earlier call has shown them. And one per speaker whose title is neither in the rows nor known`,
  );
  const bills = [{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }, { title: "Tax Act", congress: 117 }];
  const capped = archive.explainSpeechesOnBill(bills, {
    maxItems: 250,
    maxRequests: 9,
    maxdate: "2022-01-01",
    chamber: "any",
    minConfidence: 0,
  });
  for (const text of [
    "  dates      to 2022-01-01\n",
    "  bill       custom queries\n",
    "  speakers   all  (any)\n",
    "  doubtful   none is left out, see the column confidence\n",
    "  requests   at most 9 (maxRequests); without it 4 if nothing is found, at most 12 where no search finds more than a page of 1000 rows, at most 250 per search: up to 2 more searches",
  ])
    expect(capped).toContain(text);
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxItems: 0 })).toContain("  requests   none");
  expect(archive.explainSpeechesOnBill({ title: "Tax Act" })).toContain("  dates      any\n");
  expect(server.requests).toHaveLength(0);
});

it("counts the searches of a bare number that wait for the texts", async () => {
  const { server, archive } = await speechArchive();
  const row = { billtitle: "Tax Act", billnumber: "5376", congress: 117, link: "" };
  const text = archive.explainSpeechesOnBill(row);
  expect(text).toMatch(/\n +"5376" +#\n/);
  expect(text).toMatch(/\n +"H\.R\.5376" +H\.R\.#, chamber unknown, later, if its chamber is possible\n/);
  expect(text).toContain("3 if nothing is found, at most 20 where");
  const frame = await archive.speechesOnBill(row);
  // Nothing was found, so nothing else is searched, and the report says so.
  expect([server.requests.length, provenanceOf(frame)?.requests]).toEqual([3, 3]);
  expect(provenanceOf(frame)?.speeches?.skipped.map(({ query, reason }) => [query, reason])).toEqual([
    [`"Tax Act's"`, '"Tax Act" found nothing'],
    ['"5,376"', '"5376" found nothing'],
    ['"H.R.5376"', '"5376" found nothing'],
    ['"HR5376"', '"H.R.5376" found nothing'],
    ['"S.5376"', '"5376" found nothing'],
    ['"S5376"', '"S.5376" found nothing'],
  ]);
});

it("never states fewer requests than are sent, and all of them if nothing is found", async () => {
  const forms = ["H.R. 12", "HR 12", "H.R.12", "HR12", "House Bill 12", "H.R. twelve", "Tax Act", "Tax bill"];
  const texts = fc.array(fc.constantFrom(...forms), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (texts, hasBoth) => {
      const rows = texts.map((text, at) => ({
        ...speech(at, undefined, { text: `${text}.` }),
        videoTypeId: 16 + 2 * (at % 2),
      }));
      const { server, archive } = await speechArchive({
        found: (query, type) =>
          withPhrase(rows, query).filter(({ videoTypeId }) => type === (videoTypeId === 16 ? "Speech" : "Debate")),
      });
      const bill = { title: "Tax Act", ...(hasBoth && { number: "H.R. 12" }), congress: 117 };
      const [, least, most] =
        /requests +(\d+) if nothing is found, at most (\d+)/.exec(archive.explainSpeechesOnBill(bill)) ?? [];
      await archive.speechesOnBill(bill);
      if (rows.length === 0) expect(server.requests).toHaveLength(Number(least));
      expect(server.requests.length).toBeLessThanOrEqual(Number(most));
    }),
    {
      numRuns: runs(10, 100),
      examples: [
        [[], true],
        [forms, true],
      ],
    },
  );
});

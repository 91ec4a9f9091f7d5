import fc from "fast-check";
import { expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { runs } from "../scale.js";
import { speech, speechArchive, withPhrase } from "./speechServer.js";

it("lists the queries, and at most how many requests, without sending one", async () => {
  const { server, archive } = await speechArchive();
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", number: "S. 9", congress: 117 })).toBe(
    `"Tax Act"
"S. 9"
"S. nine"
"Tax Act's"
"Senate Bill 9"
"S 9"
"S.9"
"S9"
"Senate Bill nine"
At most 22 requests if no search finds more than a page of 1000 rows, and one per speaker whose title is neither in the rows nor known.`,
  );
  const bills = [{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }, { title: "Tax Act", congress: 117 }];
  expect(archive.explainSpeechesOnBill(bills)).toMatch(/^"Tax Act"\n"Tax Act's"\ntax\nAt most /);
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxItems: 0 })).toContain("At most 0 requests");
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxRequests: 5 })).toMatch(/At most 5 requests\.$/);
  expect(server.requests).toHaveLength(0);
});

it("nothing else is sent for a bill of which the first searches find nothing, and the report says so", async () => {
  const { server, archive } = await speechArchive();
  const frame = await archive.speechesOnBill({ billtitle: "Tax Act", billnumber: "5376", congress: 117 });
  expect([server.requests.length, provenanceOf(frame)?.requests]).toEqual([3, 3]);
  expect(provenanceOf(frame)?.speeches?.variants).toHaveLength(3);
});

it("never states fewer requests than are sent", async () => {
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
      const [, most] = /At most (\d+) requests/.exec(archive.explainSpeechesOnBill(bill)) ?? [];
      await archive.speechesOnBill(bill);
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

import { expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { startSpeechServer } from "./speechServer.js";

it("explains queries, dates and cost without sending a request", async () => {
  await using server = await startSpeechServer({ found: () => [] });
  await using archive = clientTo(server);
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", number: "S. 9", congress: 117 })).toBe(
    `SPEECHES ON A BILL
  bill       Tax Act, S. 9, 117th Congress
  queries    "Tax Act"           title, 2 requests or more
             "S. 9"              as typed, 2 requests or more
             "S 9"               S #, 2 requests or more
             "S9"                S#, 2 requests or more
             "Senate Bill 9"     Senate Bill #, 2 requests or more
             "S. nine"           S. # in words, 2 requests or more
             "S nine"            S # in words, 2 requests or more
             "Senate Bill nine"  Senate Bill # in words, 2 requests or more
  dates      from 2021-01-03 to 2023-01-02  (the 117th Congress)
  types      Speech, Debate
  speakers   those whose title has the word Senator  (senate)
  service    ${server.baseUrl}
  requests   at least 16 (8 queries × 2 types), at most one per 100 rows found, one to confirm the end of each search (a few more for long searches, which fetch pages ahead), and one per speaker whose title is neither in the rows nor known from an earlier call`,
  );
  const capped = archive.explainSpeechesOnBill([{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }], {
    maxItems: 250,
    maxdate: "2022-01-01",
    chamber: "any",
  });
  expect(capped).toContain("  dates      to 2022-01-01\n");
  expect(capped).toContain("  bill       custom queries\n");
  expect(capped).toContain("  speakers   all\n");
  expect(capped).toContain(
    "at least 4 (2 queries × 2 types), at most 1012: 12 pages, and one per speaker in 1000 rows",
  );
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxItems: 0 })).toContain("  requests   none");
  const shared = archive.explainSpeechesOnBill([{ title: "Tax Act" }, { title: "Tax Act" }]);
  expect(shared).toContain("at least 2 (2 queries × 2 types, 2 of them shared)");
  expect(shared).toContain("  dates      any\n");
  expect(server.requests).toHaveLength(0);
});

it("counts the searches of a bare number that wait for the texts", async () => {
  await using server = await startSpeechServer({ found: () => [] });
  await using archive = clientTo(server);
  const row = { billtitle: "Tax Act", billnumber: "5376", congress: 117, link: "" };
  const text = archive.explainSpeechesOnBill(row);
  expect(text).toMatch(/\n +"S\. 5376" +S\. #, chamber unknown, 2 requests or more\n/);
  expect(text).toMatch(
    /\n +"House Bill 5376" +House Bill #, chamber unknown, later, if its chamber is possible, 2 req/,
  );
  expect(text).toMatch(/\n +"fifty-three seventy-six" +# in words, later, 2 requests or more\n/);
  expect(text).toContain("at least 22 (7 queries × 2 types, then 8 to 12 more, as the texts decide)");
  const frame = await archive.speechesOnBill(row);
  // Nothing was found, so no text has decided: the most that was announced.
  expect([server.requests.length, provenanceOf(frame)?.requests]).toEqual([26, 26]);
  const damaged = { ...row, billtitle: "Zal   Wilderness Act", link: "https://x.example/hr5376" };
  expect(archive.explainSpeechesOnBill(damaged)).toContain("then 0 to 2 more, as the texts decide)");
  expect(archive.explainSpeechesOnBill(row, { maxItems: 100 })).toContain(
    "at most 2626: 26 pages, and one per speaker",
  );
});

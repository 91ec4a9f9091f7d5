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
  queries    "Tax Act"           title
             "S. 9"              as typed
             "S 9"               S #
             "S9"                S#
             "Senate Bill 9"     Senate Bill #
             "S. nine"           S. # in words
             "S nine"            S # in words
             "Senate Bill nine"  Senate Bill # in words
  dates      from 2021-01-03 to 2023-01-02
  types      Speech, Debate
  speakers   those whose title has the word Senator  (senate)
  service    ${server.baseUrl}
  requests   at least 16, one per query and type; one per 100 rows found, one to confirm the end of each search, and one per speaker whose title is neither in the rows nor known from an earlier call`,
  );
  const bills = [{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }, { title: "Tax Act", congress: 117 }];
  const capped = archive.explainSpeechesOnBill(bills, {
    maxItems: 250,
    maxRequests: 9,
    maxdate: "2022-01-01",
    chamber: "any",
  });
  for (const text of [
    "  dates      to 2022-01-01\n",
    "  bill       custom queries\n",
    "  speakers   all  (any)\n",
    "  requests   at most 9 (maxRequests); without it at least 4, one per query and type; one per 100 rows found (at most 250 rows per search)",
  ])
    expect(capped).toContain(text);
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxItems: 0 })).toContain("  requests   none");
  expect(archive.explainSpeechesOnBill({ title: "Tax Act" })).toContain("  dates      any\n");
  expect(server.requests).toHaveLength(0);
});

it("counts the searches of a bare number that wait for the texts", async () => {
  await using server = await startSpeechServer({ found: () => [] });
  await using archive = clientTo(server);
  const row = { billtitle: "Tax Act", billnumber: "5376", congress: 117, link: "" };
  const text = archive.explainSpeechesOnBill(row);
  expect(text).toMatch(/\n +"S\. 5376" +S\. #, chamber unknown\n/);
  expect(text).toMatch(/\n +"House Bill 5376" +House Bill #, chamber unknown, later, if its chamber is possible\n/);
  expect(text).toMatch(/\n +"fifty-three seventy-six" +# in words, later\n/);
  expect(text).toContain("at least 14, one per query and type, then up to 12 more, as the texts decide");
  const frame = await archive.speechesOnBill(row);
  // Nothing was found, so no text has decided: the most that was announced.
  expect([server.requests.length, provenanceOf(frame)?.requests]).toEqual([26, 26]);
});

import { expect, it } from "vitest";
import { clientTo } from "../client/clientTo.js";
import { startSpeechServer } from "./speechServer.js";

it("explains queries, dates and cost, and asks nothing", async () => {
  await using server = await startSpeechServer({ found: () => [] });
  await using archive = clientTo(server);
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", number: "S. 9", congress: 117 })).toBe(
    `SPEECHES ON A BILL
  bill       Tax Act, S. 9, 117th Congress
  queries    "Tax Act"  "S. 9"  "S 9"
  dates      from 2021-01-03 to 2023-01-03  (the 117th Congress)
  types      Speech, Debate
  keeps      speakers whose title has the word Senator  (senate)
  asks       ${server.baseUrl}
  requests   at least 6 (3 queries × 2 types), at most one for each 100 rows found, one more for the end of each search (a few more where many pages are asked ahead), and one for each speaker whose title the rows do not say and who was not looked up before`,
  );
  const capped = archive.explainSpeechesOnBill([{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }], {
    maxItems: 250,
    maxdate: "2022-01-01",
    chamber: "any",
  });
  expect(capped).toContain("  dates      to 2022-01-01\n");
  expect(capped).toContain("  bill       queries by hand\n");
  expect(capped).toContain("  keeps      every speaker\n");
  expect(capped).toContain(
    "at least 4 (2 queries × 2 types), at most 1012: 12 pages, and one for each speaker of 1000 rows",
  );
  expect(archive.explainSpeechesOnBill({ title: "Tax Act", maxItems: 0 })).toContain("  requests   none");
  const shared = archive.explainSpeechesOnBill([{ title: "Tax Act" }, { title: "Tax Act" }]);
  expect(shared).toContain("at least 2 (2 queries × 2 types, 2 of them shared)");
  expect(shared).toContain("  dates      any\n");
  expect(server.requests).toHaveLength(0);
});

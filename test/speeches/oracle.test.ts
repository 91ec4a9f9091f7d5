import { describe, expect, it } from "vitest";
import { ArchiveClient, type BillRow, provenanceOf } from "../../src/index.js";
import { generatedClient } from "../embedded/support.js";
import { LONG } from "../scale.js";
import { queriesOf, type ReferenceBill, type ReferenceChamber, ReferenceSpeeches } from "./referenceSpeeches.js";

/** Small enough to query every bill, large enough that there are speeches on most. */
const SIZE = 5000;

/** The queries of the specification's algorithm, and everything that they find: the algorithm does not read the texts. */
function plain({ title, number, congress }: ReferenceBill) {
  const variants = queriesOf(title, number).map((query) => `"${query}"`);
  return { title, number, congress, variants, minConfidence: 0, inferSpeakers: false };
}

/** One bill in so many; the long form takes all. */
const SAMPLE = LONG ? 1 : 16;

const { server, archive } = await generatedClient({ size: SIZE });
const reference = new ReferenceSpeeches(server);
const rows: BillRow[] = [];
for (const word of ["Act", "act", "Bill"]) {
  rows.push(...(await archive.bills(word, { maxItems: 100_000, format: "records" })));
}
const all = [...new Map(rows.map((row) => [row.id, row])).values()].map((row) => ({
  title: row.billtitle as string,
  number: `${row.link?.includes("/hr") ? "H.R." : "S."} ${row.billnumber}`,
  congress: row.congress as number,
}));
const bills = all.filter((_bill, at) => at % SAMPLE === 0);

describe("on the bills of the embedded archive", () => {
  it("returns the senators and speeches of the specification's algorithm, and one frame of all bills, with no more requests", async () => {
    const expected: unknown[][] = [];
    for (const bill of bills) {
      await using fresh = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl });
      const result = await fresh.speechesOnBill({ ...plain(bill), format: "json" });
      const byReference = new ReferenceSpeeches(server);
      const senators = await byReference.onBill(bill);
      expect(result.senators, bill.title).toEqual(senators);
      expect(provenanceOf(result)?.requests, bill.title).toBeLessThanOrEqual(byReference.requests);
      for (const { personid, name, title, speeches } of senators)
        for (const { id } of speeches)
          expected.push([bill.title, bill.number, bill.congress, personid, name, title, speeches.length, id]);
    }
    expect(all.length).toBeGreaterThan(400);
    expect(expected.length).toBeGreaterThan(500 / SAMPLE);
    const queries = bills.map((bill) => ({ ...bill, variants: plain(bill).variants }));
    const frame = await archive.speechesOnBill(queries, { minConfidence: 0, inferSpeakers: false });
    const columns = ["bill_title", "bill_number", "bill_congress", "personid", "name", "title", "speeches", "id"];
    expect(frame.select(...columns).rows()).toEqual(expected);
  });

  it.each<ReferenceChamber>(["house", "any"])(
    "chamber: %s follows the same algorithm with other titles",
    async (chamber) => {
      const some = bills.filter((_bill, at) => (at * SAMPLE) % 25 === 0 || at < 2);
      for (const bill of some) {
        const { senators } = await archive.speechesOnBill({ ...plain(bill), chamber, format: "json" });
        expect(senators, bill.title).toEqual(await reference.onBill(bill, chamber));
      }
    },
  );
});

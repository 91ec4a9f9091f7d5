import { describe, expect, it } from "vitest";
import { ArchiveClient, type BillRow, provenanceOf, type SpeechesOnBill } from "../../src/index.js";
import { generatedClient } from "../embedded/support.js";
import { LONG } from "../scale.js";
import {
  queriesOf,
  type ReferenceBill,
  type ReferenceChamber,
  type ReferenceSpeaker,
  ReferenceSpeeches,
} from "./referenceSpeeches.js";

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
const known = new Map<ReferenceBill, Promise<ReferenceSpeaker[]>>();
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

/** The senators of a bill by the reference algorithm, computed once. */
function referenceSenators(bill: ReferenceBill): Promise<ReferenceSpeaker[]> {
  const speakers = known.get(bill) ?? reference.onBill(bill);
  known.set(bill, speakers);
  return speakers;
}

describe("on the bills of the embedded archive", () => {
  it("returns the senators and speeches of the specification's algorithm", async () => {
    let speeches = 0;
    for (const bill of bills) {
      const { senators }: SpeechesOnBill = await archive.speechesOnBill({ ...plain(bill), format: "json" });
      expect(senators, bill.title).toEqual(await referenceSenators(bill));
      speeches += senators.reduce((sum, senator) => sum + senator.speeches.length, 0);
    }
    expect(all.length).toBeGreaterThan(400);
    expect(speeches).toBeGreaterThan(500 / SAMPLE);
  });

  it("one frame of all bills has the same rows in the same order", async () => {
    const queries = bills.map((bill) => ({ ...bill, variants: plain(bill).variants }));
    const frame = await archive.speechesOnBill(queries, { minConfidence: 0, inferSpeakers: false });
    const expected: unknown[][] = [];
    for (const bill of bills) {
      for (const { personid, name, title, speeches } of await referenceSenators(bill)) {
        for (const { id } of speeches) {
          expected.push([bill.title, bill.number, bill.congress, personid, name, title, speeches.length, id]);
        }
      }
    }
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

  it("never takes more requests than the algorithm", async () => {
    for (const bill of bills.filter((_bill, at) => (at * SAMPLE) % 20 === 0 || at < 5)) {
      await using fresh = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl });
      const frame = await fresh.speechesOnBill(plain(bill));
      const byReference = new ReferenceSpeeches(server);
      await byReference.onBill(bill);
      expect(provenanceOf(frame)?.requests, bill.title).toBeLessThanOrEqual(byReference.requests);
    }
  });
});

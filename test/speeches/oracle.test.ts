import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, type BillRow, provenanceOf, type SpeechesOnBill } from "../../src/index.js";
import { type PlainBill, type PlainChamber, type PlainSpeaker, PlainSpeeches } from "./plainSpeeches.js";

/** Small enough to ask about every bill, large enough that each is spoken of. */
const SIZE = 5000;

let server: EmbeddedArchive;
let archive: ArchiveClient;
let plain: PlainSpeeches;
const known = new Map<PlainBill, Promise<PlainSpeaker[]>>();
let bills: PlainBill[];

beforeAll(async () => {
  server = await startEmbeddedArchive({ size: SIZE });
  archive = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl });
  plain = new PlainSpeeches(server);
  const rows: BillRow[] = [];
  for (const word of ["Act", "act", "Bill"]) {
    rows.push(...(await archive.bills(word, { maxItems: 100_000, format: "records" })));
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  bills = [...byId.values()].map((row) => ({
    title: row.billtitle as string,
    number: `${row.link?.includes("/hr") ? "H.R." : "S."} ${row.billnumber}`,
    congress: row.congress as number,
  }));
});

afterAll(async () => {
  await archive?.close();
  await server?.close();
});

/** The senators of a bill by the plain algorithm, worked out once. */
function plainly(bill: PlainBill): Promise<PlainSpeaker[]> {
  const speakers = known.get(bill) ?? plain.onBill(bill);
  known.set(bill, speakers);
  return speakers;
}

describe("on every bill of the embedded archive", () => {
  it("the senators and their speeches are those of the specification's algorithm", async () => {
    expect(bills.length).toBeGreaterThan(400);
    let speeches = 0;
    for (const bill of bills) {
      const { senators }: SpeechesOnBill = await archive.speechesOnBill({ ...bill, format: "json" });
      expect(senators, bill.title).toEqual(await plainly(bill));
      speeches += senators.reduce((sum, senator) => sum + senator.speeches.length, 0);
    }
    expect(speeches).toBeGreaterThan(500);
  });

  it("one frame of all bills has the same rows in the same order", async () => {
    const frame = await archive.speechesOnBill(bills);
    const expected: unknown[][] = [];
    for (const bill of bills) {
      for (const { personid, name, title, speeches } of await plainly(bill)) {
        for (const { id } of speeches) {
          expected.push([bill.title, bill.number, bill.congress, personid, name, title, speeches.length, id]);
        }
      }
    }
    const columns = ["bill_title", "bill_number", "bill_congress", "personid", "name", "title", "speeches", "id"];
    expect(frame.select(...columns).rows()).toEqual(expected);
  });

  it.each<PlainChamber>(["house", "any"])("chamber: %s is the same algorithm with another title", async (chamber) => {
    const some = bills.filter((_bill, at) => at % 25 === 0 || at < 2);
    for (const bill of some) {
      const { senators } = await archive.speechesOnBill({ ...bill, chamber, format: "json" });
      expect(senators, bill.title).toEqual(await plain.onBill(bill, chamber));
    }
  });

  it("no bill takes more requests than it does", async () => {
    for (const bill of bills.filter((_bill, at) => at % 20 === 0 || at < 5)) {
      await using fresh = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl });
      const frame = await fresh.speechesOnBill(bill);
      const alone = new PlainSpeeches(server);
      await alone.onBill(bill);
      expect(provenanceOf(frame)?.requests, bill.title).toBeLessThanOrEqual(alone.requests);
    }
  });

  it("every speaker and every row is accounted for", async () => {
    for (const bill of bills.slice(0, 40)) {
      const frame = await archive.speechesOnBill(bill);
      const { speeches, rows, verdict } = provenanceOf(frame) ?? {};
      if (speeches === undefined) return expect.unreachable();
      const { variants, duplicates, kept, leftOut, unresolved } = speeches;
      const sum = (list: ReadonlyArray<{ speeches: number }>) => list.reduce((all, one) => all + one.speeches, 0);
      const found = variants.reduce((all, one) => all + one.rows, 0);
      const fresh = variants.reduce((all, one) => all + one.new, 0);
      expect(found - duplicates).toBe(fresh);
      expect(sum(kept) + sum(leftOut) + sum(unresolved)).toBe(fresh);
      expect([rows, sum(kept), verdict]).toEqual([found, frame.height, "complete"]);
    }
  });
});

describe("on bills with over 500 speeches", () => {
  it.each([
    { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
    { title: "Infrastructure Investment and Jobs Act", number: "H.R. 3684", congress: 117 },
    { title: "Artificial Intelligence Research and Accountability Act", number: "S. 2714", congress: 118 },
  ])("$title: the same senators and speeches, for half the requests at most", async (bill) => {
    await using large = await startEmbeddedArchive();
    await using client = new ArchiveClient({ apiKey: large.apiKey, baseUrl: large.baseUrl });
    const { senators } = await client.speechesOnBill({ ...bill, format: "json" });
    const { requests = Number.NaN } = client.lastHarvest() ?? {};
    const alone = new PlainSpeeches(large);
    expect(senators).toEqual(await alone.onBill(bill));
    expect(senators.reduce((sum, { speeches }) => sum + speeches.length, 0)).toBeGreaterThan(500);
    expect(requests).toBeLessThanOrEqual(alone.requests / 2);
  });
});

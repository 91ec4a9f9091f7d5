import { describe, expect, it } from "vitest";
import { provenanceOf, ValidationError } from "../../src/index.js";
import type { LegislatorRecord } from "../../src/members/index.js";
import { clientTo } from "../client/clientTo.js";
import { speech, startSpeechServer } from "./speechServer.js";

const BILL = { title: "Tax Act", videotypes: ["Speech"], minConfidence: 0 } as const;
const term = (type: "sen" | "rep", start: string, end: string): LegislatorRecord["terms"][number] => ({
  type,
  start,
  end,
  state: "OH",
  party: "A",
});
const members: readonly LegislatorRecord[] = [
  {
    id: { bioguide: "A1", cspan: 7 },
    name: { first: "Ann", last: "Able" },
    terms: [term("rep", "2021-01-03", "2022-06-30"), term("sen", "2022-07-01", "2027-01-03")],
  },
  { id: { bioguide: "B1" }, name: { first: "Bob", last: "Best" }, terms: [term("sen", "2021-01-03", "2023-01-03")] },
];
const TITLED = { persontitle: "U.S. Senator" };

/** A representative who became a senator, a senator without an id in the data, and somebody whom the data does not know. */
const FOUND = [
  speech(1, 7, { ...TITLED, person: "Ann Able", begintime: "2022-06-30T18:00:00Z" }),
  speech(2, 7, { ...TITLED, person: "Ann Able", begintime: "2022-07-01T18:00:00Z" }),
  speech(3, 7, { ...TITLED, person: "Ann Able", begintime: "2020-12-01T18:00:00Z" }),
  speech(4, 8, { persontitle: "Governor,U.S. Senator", person: "Bob Best", begintime: "2022-06-30T18:00:00Z" }),
  speech(5, 9, { ...TITLED, person: "Cy Can", begintime: "2022-06-30T18:00:00Z" }),
  speech(6, 10, { persontitle: "Governor", person: "Di Day", begintime: "2022-06-30T18:00:00Z" }),
];

describe("members", () => {
  it("decide the chamber by the terms of the day, and titles that of speakers whom the data does not know", async () => {
    await using server = await startSpeechServer({ found: () => FOUND });
    await using archive = clientTo(server);
    const ids = async (chamber: "senate" | "house" | "any") => {
      const frame = await archive.speechesOnBill({ ...BILL, chamber, members });
      return [frame.getColumn("id").toArray().map(Number).sort(), provenanceOf(frame)?.speeches] as const;
    };
    const [senate, report] = await ids("senate");
    expect(senate).toEqual([2, 4, 5]);
    expect(report?.members).toMatchObject({ byTerm: 4, byTitle: 2, agree: 2, onlyByTerm: 0, onlyByTitle: 2 });
    expect(report?.members?.legislators.members).toBe(2);
    expect(report?.excluded.map(({ name, speeches, reason }) => [name, speeches, reason])).toEqual([
      ["Ann Able", 1, "member of the House on that day"],
      ["Ann Able", 1, "not in office on that day"],
      ["Di Day", 1, "title without the word Senator"],
    ]);
    const total = [...(report?.included ?? []), ...(report?.excluded ?? [])].reduce(
      (sum, one) => sum + one.speeches,
      0,
    );
    expect(total).toBe(FOUND.length);
    const [house, ofHouse] = await ids("house");
    expect(house).toEqual([1]);
    expect(ofHouse?.members).toMatchObject({ byTerm: 4, byTitle: 2, agree: 3, onlyByTerm: 1, onlyByTitle: 0 });
    const [any, ofAll] = await ids("any");
    expect(any).toEqual([1, 2, 3, 4, 5, 6]);
    expect(ofAll?.members).toBeUndefined();
  });

  it("are off by default, and checked before any request", async () => {
    await using server = await startSpeechServer({ found: () => FOUND });
    await using archive = clientTo(server);
    const plain = await archive.speechesOnBill({ ...BILL, members: false });
    expect(plain.getColumn("id").toArray().map(Number).sort()).toEqual([1, 2, 3, 4, 5]);
    const sent = server.requests.length;
    const wrong = archive.speechesOnBill({ ...BILL, members: "yes" as never });
    await expect(wrong).rejects.toThrow(ValidationError);
    await expect(archive.speechesOnBill({ ...BILL, members: [{}] as never })).rejects.toThrow(
      "invalid members: [0].name",
    );
    expect(server.requests.length).toBe(sent);
  });
});

import { describe, expect, it } from "vitest";
import { type PolarsFrame, provenanceOf } from "../../src/index.js";
import { lookUps, senator, speech, speechArchive } from "./speechServer.js";

const BILL = { title: "Tax Act", variants: ['"Tax Act"'], videotypes: ["Speech"] } as const;
const speakers = (frame: PolarsFrame) => frame.select("personid", "name", "title").rows();

describe("titles", () => {
  it("come from the person title of a row in any spelling, without a lookup, and not from its plain title", async () => {
    const spellings = ["persontitle", "personTitle", "person_title", "PersonTitle", "PERSON-TITLE"];
    const { server, archive } = await speechArchive({
      found: () => [
        ...spellings.map((member, at) => speech(at + 1, at + 1, { [member]: "U.S. SENATOR", person: "Ann,Maine" })),
        speech(8, 8, { persontitle: "Governor", title: "Senator for a day" }),
        speech(9, 9, { persontitle: "Senators' Counsel" }),
      ],
    });
    const frame = await archive.speechesOnBill(BILL);
    expect(speakers(frame)).toEqual([
      ...spellings.map((_member, at) => [at + 1, "Ann", "U.S. SENATOR"]),
      [9, "Speaker 9", "Senators' Counsel"],
    ]);
    expect(lookUps(server)).toEqual([]);
    const about = { personid: 8, name: "Speaker 8", title: "Governor", speeches: 1, inferred: 0 };
    expect(provenanceOf(frame)?.speeches?.excluded).toEqual([{ ...about, reason: "title without the word Senator" }]);
  });

  it("of one row apply to all speeches of the speaker; a title of the chamber takes precedence", async () => {
    const { archive } = await speechArchive({
      found: () => [
        speech(1, 7, { persontitle: "" }),
        speech(2, 7, { persontitle: "U.S. Representative" }),
        speech(3, 7, { persontitle: "U.S. Senator" }),
        speech(4, 7, { persontitle: "Governor" }),
      ],
    });
    expect(speakers(await archive.speechesOnBill(BILL))).toEqual(Array(4).fill([7, "Speaker 7", "U.S. Senator"]));
    expect(speakers(await archive.speechesOnBill({ ...BILL, chamber: "house" }))[0]?.[2]).toBe("U.S. Representative");
  });

  it("are looked up once per speaker and client, by calls at the same time too; the record also gives the name", async () => {
    const { server, archive } = await speechArchive({
      found: () => [speech(1, 7), speech(2, 7), speech(3, 8), { ...speech(4, 7), personid: "7" }],
      people: { 7: senator(7, "Ann A."), 8: { id: 8, title: "State Senator" } },
    });
    const [frame] = await Promise.all([archive.speechesOnBill(BILL), archive.speechesOnBill(BILL)]);
    expect(frame.select("name", "title").rows()).toEqual([
      ...Array(3).fill(["Ann A.", "U.S. Senator"]),
      ["Speaker 8", "State Senator"],
    ]);
    await archive.speechesOnBill({ title: "Another Act" });
    expect(lookUps(server).sort()).toEqual(["7", "8"]);
  });

  it.each([
    ["senate", ["U.S. senator", "Chair, SENATOR", "Senatorial Aide"]],
    ["house", ["U.S. Representative", "Delegate, Attorney"]],
    ["any", ["U.S. senator", "Chair, SENATOR", "Senatorial Aide", "U.S. Representative", "Delegate, Attorney", null]],
  ] as const)("chamber: %s includes %j", async (chamber, kept) => {
    const titles = "U.S. senator¦Chair, SENATOR¦Senatorial Aide¦U.S. Representative¦Delegate, Attorney¦".split("¦");
    const { archive } = await speechArchive({
      found: () => titles.map((_title, at) => speech(at + 1, at + 1)),
      people: Object.fromEntries(titles.map((title, at) => [at + 1, { name: `P${at}`, title }])),
    });
    const frame = await archive.speechesOnBill({ ...BILL, chamber });
    expect(frame.getColumn("title").toArray()).toEqual(kept);
    const { excluded = [] } = provenanceOf(frame)?.speeches ?? {};
    expect(excluded).toHaveLength(titles.length - kept.length);
    if (chamber === "senate") expect(excluded.at(-1)).toMatchObject({ title: null, reason: "no title" });
  });
});

describe("speakers who cannot be identified", () => {
  const rows = [
    speech(1, 7),
    speech(2, 999999, { person: "Caller,Viewer" }),
    speech(3, 999999, { person: "Caller", persontitle: "U.S. Senator" }),
    speech(4, 999999, { person: "" }),
    speech(5, undefined, { person: "Sen. Nobody" }),
    speech(6, 0, { person: "Sen. Nobody" }),
    speech(7, 66),
  ];
  const archiveOf = () => speechArchive({ found: () => rows, people: { 7: senator(7) } });

  it("placeholders are never looked up; they and unknown people are counted and reported", async () => {
    const { server, archive } = await archiveOf();
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.getColumn("id").toArray()).toEqual(["1"]);
    expect(lookUps(server).sort()).toEqual(["66", "7"]);
    expect(provenanceOf(frame)?.speeches).toMatchObject({
      included: [{ personid: 7, name: "Senator 7", title: "U.S. Senator", speeches: 1, inferred: 0 }],
      excluded: [
        { personid: 999999, name: "Caller", speeches: 2, reason: "title without the word Senator" },
        { personid: null, name: "Sen. Nobody", title: null, speeches: 2, reason: "no title" },
        { personid: 999999, name: null, title: null, speeches: 1, reason: "no title" },
      ],
      unresolved: [{ personid: 66, name: "Speaker 66", speeches: 1, inferred: 0, reason: "not known to the archive" }],
    });
  });

  it("chamber: any includes everyone, with the name of the row and its title, if any", async () => {
    const { archive } = await archiveOf();
    const frame = await archive.speechesOnBill({ ...BILL, chamber: "any" });
    expect(frame.select("id", "name", "title").rows()).toEqual([
      ["2", "Caller", "Viewer"],
      ["3", "Caller", "Viewer"],
      ["5", "Sen. Nobody", null],
      ["6", "Sen. Nobody", null],
      ["4", null, null],
      ["1", "Senator 7", "U.S. Senator"],
      ["7", "Speaker 66", null],
    ]);
    const { included = [], unresolved } = provenanceOf(frame)?.speeches ?? {};
    expect(included.filter(({ reason }) => reason !== null)).toMatchObject([
      { personid: 66, reason: "not known to the archive" },
    ]);
    expect(unresolved).toEqual([]);
  });
});

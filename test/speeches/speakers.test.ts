import { describe, expect, it } from "vitest";
import { APIError, type FetchedResult, type PolarsFrame, provenanceOf } from "../../src/index.js";
import { errorOf } from "../service/helpers.js";
import { lookUps, pathOf, senator, speech, speechArchive } from "./speechServer.js";

const BILL = { title: "Tax Act", variants: ['"Tax Act"'], videotypes: ["Speech"] } as const;
const speakers = (frame: PolarsFrame) => frame.select("personid", "name", "title").rows();

describe("titles", () => {
  it.each(["persontitle", "personTitle", "person_title", "PersonTitle", "PERSON-TITLE"])(
    "come from the %s of a row, without a lookup",
    async (member) => {
      const { server, archive } = await speechArchive({
        found: () => [
          speech(1, 7, { [member]: "U.S. SENATOR", person: "Ann Example,Senator,Maine" }),
          speech(2, 8, { [member]: "Governor" }),
        ],
      });
      const frame = await archive.speechesOnBill(BILL);
      expect(speakers(frame)).toEqual([[7, "Ann Example", "U.S. SENATOR"]]);
      expect(lookUps(server)).toEqual([]);
      expect(provenanceOf(frame)?.speeches?.excluded).toEqual([
        {
          personid: 8,
          name: "Speaker 8",
          title: "Governor",
          speeches: 1,
          inferred: 0,
          reason: "title without the word Senator",
        },
      ]);
    },
  );

  it("ignore the plain title of a row; any person title that contains Senator counts", async () => {
    const { archive } = await speechArchive({
      found: () => [
        speech(1, 7, { title: "Senator for a day", person_title: "Governor" }),
        speech(2, 8, { person_title: "Senators' Counsel" }),
      ],
    });
    expect(speakers(await archive.speechesOnBill(BILL))).toEqual([[8, "Speaker 8", "Senators' Counsel"]]);
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

  it("are looked up once per speaker and client; the record also gives the name", async () => {
    const { server, archive } = await speechArchive({
      found: () => [speech(1, 7), speech(2, 7), speech(3, 8), { ...speech(4, 7), personid: "7" }],
      people: { 7: senator(7, "Ann A."), 8: { id: 8, title: "State Senator" } },
    });
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.select("name", "title").rows()).toEqual([
      ...Array(3).fill(["Ann A.", "U.S. Senator"]),
      ["Speaker 8", "State Senator"],
    ]);
    await archive.speechesOnBill({ title: "Another Act" });
    expect(lookUps(server).sort()).toEqual(["7", "8"]);
  });

  it("concurrent calls send one request", async () => {
    const { server, archive } = await speechArchive({ found: () => [speech(1, 7)], people: { 7: senator(7) } });
    await Promise.all([archive.speechesOnBill(BILL), archive.speechesOnBill(BILL), archive.speechesOnBill(BILL)]);
    expect(lookUps(server)).toEqual(["7"]);
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
        {
          personid: 999999,
          name: "Caller",
          title: "Viewer",
          speeches: 2,
          inferred: 0,
          reason: "placeholder speaker 999999",
        },
        { personid: null, name: "Sen. Nobody", title: null, speeches: 2, inferred: 0, reason: "no personid" },
        { personid: 999999, name: null, title: null, speeches: 1, inferred: 0, reason: "placeholder speaker 999999" },
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

describe("a failed lookup", () => {
  const failing = (status: number) =>
    speechArchive({
      found: () => [speech(1, 7), speech(2, 8), speech(3, 8), speech(4, 9, { persontitle: "Governor" })],
      people: { 7: senator(7) },
      instead: (request) => (pathOf(request) === "/people/8" ? { status, body: { message: "no" } } : undefined),
      client: { maxRetries: 1, concurrency: 1 },
    });

  it("throws with partial rows: unresolved speakers are in that frame without a title", async () => {
    const { archive } = await failing(500);
    const error = await errorOf(archive.speechesOnBill(BILL), APIError);
    expect([error.code, error.path]).toEqual(["SERVER_ERROR", "/people/8"]);
    const partial = error.partial as FetchedResult<"polars">;
    expect(partial.frame.select("id", "title").rows()).toEqual([
      ["2", null],
      ["3", null],
      ["1", "U.S. Senator"],
    ]);
    expect(partial).toMatchObject({ rows: 3, pages: 3, requests: 5, cursor: undefined });
    expect(archive.lastResult()).toBe(partial);
    expect(provenanceOf(partial.frame)).toMatchObject({
      verdict: "stopped",
      reason: "SERVER_ERROR",
      retries: 1,
      speeches: {
        included: [
          { personid: 8, speeches: 2, reason: "not looked up" },
          { personid: 7, reason: null },
        ],
        unresolved: [],
      },
    });
  });

  it("aborts the lookups that run, and starts no other", async () => {
    const { server, archive } = await speechArchive({
      found: () => [1, 2, 3, 4, 5].map((id) => speech(id, id)),
      instead: async (request) => {
        if (!pathOf(request).startsWith("/people/")) return undefined;
        if (pathOf(request) !== "/people/1") return { hang: true };
        await server.arrived(4);
        return { status: 400, body: {} };
      },
      client: { concurrency: 2 },
    });
    const error = await errorOf(archive.speechesOnBill(BILL), APIError);
    expect(error.statusCode).toBe(400);
    await server.quiet();
    expect(lookUps(server)).toEqual(["1", "2"]);
  });
});

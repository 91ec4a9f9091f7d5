import { describe, expect, it } from "vitest";
import { type DanfoFrame, type Engine, type PolarsFrame, pl, provenanceOf } from "../../src/index.js";
import { operations } from "../service/operations.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { mention, served } from "./clientTo.js";

const rows = [mention(1), mention(2, { personid: undefined, by: { name: "Zoë" }, tags: ["a", "b"] })];
const body = { cursor: "VdRM", mentions: JSON.parse(JSON.stringify(rows)) };
const startPages = (answer: object = body) => startScriptedServer(() => ({ body: answer }));

describe("format", () => {
  it("json is the body as received", async () => {
    const { archive } = await served(startPages());
    expect(await archive.mentions("x", { format: "json" })).toEqual(body);
  });

  it("records are the rows", async () => {
    const { archive } = await served(startPages(), { outputFormat: "records" });
    expect(await archive.mentions("x")).toEqual(body.mentions);
  });

  it("csv has the declared columns first", async () => {
    const { archive } = await served(startPages());
    const [header, first, second] = (await archive.mentions("x", { format: "csv" })).split("\r\n");
    const declared = Object.keys(operations.mentions.columns);
    expect(header).toBe([...declared, "by", "tags"].join(","));
    const sent = mention(1) as Record<string, unknown>;
    expect(first).toBe([...declared.map((name) => sent[name] ?? ""), "", ""].join(","));
    expect(second).toContain('"{""name"":""Zoë""}","[""a"",""b""]"');
  });

  it("an empty result is a header in csv, an empty list as records, and the body as json", async () => {
    const { archive } = await served(startPages({ cursor: "VQAAeXUBKgA" }));
    expect(await archive.bills("x", { format: "csv" })).toBe("id,congress,billnumber,billtitle,link\r\n");
    expect(await archive.bills("x", { format: "records" })).toEqual([]);
    expect(await archive.bills("x", { format: "json" })).toEqual({ cursor: "VQAAeXUBKgA" });
  });

  it("the option of a call overrides that of the client", async () => {
    const { archive } = await served(startPages(), { outputFormat: "csv", engine: "danfo" });
    const frame = await archive.mentions("x", { format: "dataframe", engine: "polars" });
    expect(pl.DataFrame.isDataFrame(frame)).toBe(true);
  });
});

interface FrameView {
  columns: string[];
  dtypes: string[];
  rows: unknown[][];
}

const views: { readonly [E in Engine]: (frame: never) => FrameView } = {
  polars: (frame: PolarsFrame) => ({ columns: frame.columns, dtypes: frame.dtypes.map(String), rows: frame.rows() }),
  danfo: (frame: DanfoFrame) => ({ columns: frame.columns, dtypes: frame.dtypes, rows: frame.values as unknown[][] }),
};

describe.each(["polars", "danfo"] as const)("the frames of %s", (engine) => {
  const ask = async (answer: object, operation: "mentions" | "bills" | "people" | "programsSearch" = "mentions") => {
    const { archive } = await served(startPages(answer), { engine });
    return views[engine]((await archive[operation]("x")) as never);
  };

  it.each(["mentions", "bills", "people", "programsSearch"] as const)(
    "of %s have the same columns and dtypes when empty",
    async (operation) => {
      const rows = { id: 1, congress: 117, billnumber: "5376", date: "2026-06-18T14:37:56Z", title: "t", name: "n" };
      const declared = Object.keys(operations[operation].columns);
      const row = Object.fromEntries(
        Object.entries({ ...mention(1), ...rows }).filter(([name]) => declared.includes(name)),
      );
      const member = operations[operation].rows;
      const full = await ask({ cursor: "a", [member]: [row] }, operation);
      const empty = await ask({ cursor: "a" }, operation);
      expect(empty.columns).toEqual(declared);
      expect(full.columns).toEqual(declared);
      expect(empty.dtypes).toEqual(full.dtypes);
      expect(empty.rows).toEqual([]);
      expect(full.rows).toHaveLength(1);
    },
  );
});

describe("lookups", () => {
  it("a person is one row, an unknown person no row", async () => {
    const { archive } = await served(({ url }) => ({
      body: url.endsWith("/1") ? { people: [{ id: 1, name: "Ann" }] } : {},
    }));
    const known = await archive.person(1);
    const unknown = await archive.person(2);
    expect(known.toRecords()).toMatchObject([{ id: 1, name: "Ann", title: null }]);
    expect(unknown.height).toBe(0);
    expect(unknown.columns).toEqual(known.columns);
  });

  it("a program is one row, even if a member is a list of objects", async () => {
    const program = {
      id: 5,
      title: "t",
      date: "2026-06-18T14:37:56Z",
      publicId: "5-1",
      videoDuration: 60,
      people: [{ id: 1 }],
    };
    const { archive } = await served(startPages(program));
    const frame = await archive.program(5);
    expect(frame.toRecords()).toMatchObject([{ id: 5, publicId: "5-1", videoDuration: 60, people: ['{"id":1}'] }]);
    expect(await archive.program(5, { format: "records" })).toEqual([program]);
    expect(provenanceOf(frame)).toMatchObject({ parameters: { id: "5" }, verdict: "complete" });
  });
});

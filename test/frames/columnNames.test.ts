import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleRows } from "../../src/coding/index.js";
import {
  concat,
  type pl,
  readFrame,
  saveFrame,
  sql,
  toCsv,
  toDataFrame,
  toJsonl,
  toRecords,
  valueCounts,
  valuesOf,
  where,
} from "../../src/index.js";
import { withMembers } from "../../src/members/index.js";
import { mentionsOverTime } from "../../src/notebook.js";
import { kwic, rates, terms } from "../../src/text/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { FULL, runs } from "../scale.js";
import { expectedColumns } from "./expectedColumns.js";
import { frameOf } from "./pages.js";

/** Members of a polars frame and of every object. */
const MEMBERS =
  "_df clone columns drop dtypes filter getColumn getColumns groupBy head height hstack inner join lazy limit map pivot rename rows sample " +
  "schema select shape slice sort sum tail then toRecords toSeries unique vstack width withColumns writeCSV writeIPC writeParquet " +
  "constructor hasOwnProperty isPrototypeOf toString valueOf __proto__";
const names = MEMBERS.split(" ").filter((_name, at) => FULL || at % 4 === 0);

describe("a column called like a member of a frame", () => {
  it.each(names)("is a column like any other: %s", async (name) => {
    const rows = ["x", "y"].map((value, at) => ({
      text: `climate ${value}`,
      personid: at,
      person: `A ${value}`,
      begintime: new Date(at),
      ...Object.fromEntries([[name, value]]),
    }));
    const frame = toDataFrame(rows);
    expect(frame.height).toBe(2);
    expect(frame.columns).toContain(name);
    expect(frame.dtypes).toHaveLength(frame.width);
    expect(valuesOf(frame, name)).toEqual(["x", "y"]);
    expect(toRecords(frame).map((row) => row[name])).toEqual(["x", "y"]);
    expect(toRecords(concat([frame, frame]).sort(name).head(2)).map((row) => row[name])).toEqual(["x", "x"]);
    expect(valuesOf(valueCounts(frame, name), name)).toEqual(["x", "y"]);
    const chosen = where({ [name]: "y" });
    expect(frame.filter(chosen).height).toBe(1);
    expect(valuesOf(frame.lazy().filter(chosen).collectSync(), name)).toEqual(["y"]);
    expect(toDataFrame(frame).columns).toEqual(frame.columns);
    expect(toCsv(frame).split("\r\n")[0]).toContain(name);
    expect(toJsonl(frame).split("\n")[1]).toContain(`${JSON.stringify(name)}:"y"`);
    const path = join(folder, "a.parquet");
    await saveFrame(frame, path);
    expect(valuesOf(await readFrame(path), name)).toEqual(["x", "y"]);
    expect(valuesOf(await sql("select * from frame", { frame }), name)).toEqual(["x", "y"]);
    expect(sampleRows(frame, { rows: 1, seed: 1 }).columns).toContain(name);
    expect((await kwic(frame, "climate")).height).toBe(2);
    expect((await terms(frame)).height).toBeGreaterThan(0);
    expect((await rates(frame, "climate", { baseline: "own rows", by: name })).columns).toContain(name);
    expect((await withMembers(frame)).columns).toContain(name);
    expect(mentionsOverTime(frame)).toBeDefined();
    const danfo = () => toDataFrame(frame, { engine: "danfo" });
    if (name === "columns") expect(danfo).toThrow("Rename it");
    else expect(danfo().columns).toContain(name);
  });
});

const folder = temporaryFolder();

const member = fc.oneof(
  fc.constantFrom("a", "b", "a.b", ".", "", "a.", "\\", "a\\.b", "\\u", "rows", "height", "height_"),
  fc.constantFrom("\ud800", "\ud801", "\udc00", "\ufffd", "\ud83d\ude00", "x\udc00", "*", "^a$"),
  fc.constantFrom("__proto__", "constructor", "id", "text", "length", 'x"id', '"id', "i\\u0064"),
);
const value = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.record({ a: fc.integer() }));
const row = fc
  .uniqueArray(fc.tuple(member, value), { maxLength: 4, selector: ([name]) => name })
  .map((members) => Object.fromEntries(members) as object);
const rows = fc.array(row, { minLength: 1, maxLength: 8 });

const cells = (frame: pl.DataFrame) =>
  Object.fromEntries(
    frame.columns.map((name) => [JSON.stringify(name), [...frame.getColumn(name).toArray()].map(String)]),
  );

describe("the members of rows", () => {
  it("each have the column of their name, in whatever order they come", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const reversed = all.map((one) => Object.fromEntries(Object.entries(one).reverse()));
        const json = (some: readonly object[]) => some.map((one) => JSON.stringify(one));
        const frame = frameOf(json(all));
        expect(cells(frameOf(...json(reversed).map((one) => [one])))).toEqual(cells(frame));
        const expected = all.map(expectedColumns);
        for (const name of new Set(expected.flatMap((columns) => [...columns.keys()]))) {
          const values = expected.map((columns) => String(columns.get(name) ?? null));
          expect([...frame.getColumn(name).toArray()].map(String)).toEqual(values);
          expect([...toDataFrame(all).getColumn(name).toArray()].map(String)).toEqual(values);
        }
      }),
      { numRuns: runs(20, 320) },
    );
  });
});

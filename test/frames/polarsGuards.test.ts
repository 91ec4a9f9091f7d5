import { cpSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  concat,
  methodsOf,
  openArchive,
  type PolarsFrame,
  pl,
  saveFrame,
  toCsv,
  toRecords,
  valueCounts,
  valuesOf,
  where,
} from "../../src/index.js";

const archive = await openArchive({ announce: false });
afterAll(() => archive.close());

it.each([
  ["a frame", pl.DataFrame({ n: [1, 2] })],
  ["a lazy frame", pl.DataFrame({ n: [1, 2] }).lazy()],
])("a comparison, function or object of JavaScript is no filter of %s, with or without provenance", (_what, frame) => {
  const hint =
    'Give an expression, for example filter(pl.col("length").gt(60)) or filter(where({ length: { gt: 60 } })).';
  const wrong = [(pl.col("n") as unknown as number) > 1, ({ n }: { n: number }) => n > 1, { n: 1 }];
  for (const [at, shown] of ["false", "a function", "{ n: 1 }"].entries())
    expect(() => frame.filter(wrong[at] as never)).toThrow(`invalid predicate: ${shown}. ${hint}`);
});

it.each<[string, (frame: PolarsFrame) => unknown]>([
  ["select", (frame) => frame.select("persn")],
  ["filter", (frame) => frame.filter(where({ persn: "Ada" }))],
  ["join", (frame) => frame.join(pl.DataFrame({ persn: ["x"] }), { on: "persn" })],
])("%s of a column that is missing says which there are, with or without provenance", async (verb, run) => {
  const hint = `invalid column in ${verb}: "persn". Did you mean "person"? The columns are "id", `;
  const frame = await archive.mentions("climate");
  for (const each of [frame, pl.DataFrame({ id: ["x"], person: ["a"] })]) expect(() => run(each)).toThrow(hint);
  expect(() => frame.filter(pl.col("person").eq("Ada Byron"))).toThrow('write pl.lit("Ada Byron") or where(');
});

it("a property that a frame does not have cannot be set; columns, members and symbols can", () => {
  const frame = pl.DataFrame({ n: [1, 2] });
  const series = pl.Series([3, 4]);
  const hint = 'Type frame.withColumn(series.alias("a")).';
  for (const each of [frame, frame.lazy()])
    expect(() => Object.assign(each, { a: series })).toThrow(
      expect.objectContaining({ name: "ValidationError", hint }),
    );
  expect(() => Object.assign(frame, { n: [3, 4] })).toThrow('a frame does not change, so "n" cannot be set.');
  const note = Symbol("note");
  Object.assign(frame, { n: series, columns: ["m"], [note]: 1 });
  expect([frame.columns, valuesOf(frame, "m"), Reflect.get(frame, note)]).toEqual([["m"], [3, 4], 1]);
});

it("the sum of a mask is how many rows it has", () => {
  const mask = pl.Series("n", [1, 2, 3]).gt(1);
  expect([mask.sum(), pl.Series([false]).sum(), pl.Series([1.5, 2]).sum()]).toEqual([2, 0, 3.5]);
});

describe("another copy of nodejs-polars", () => {
  let theirs: typeof pl;
  beforeAll(() => {
    const modules = dirname(dirname(dirname(createRequire(import.meta.url).resolve("nodejs-polars"))));
    const copy = join(mkdtempSync(join(tmpdir(), "polars-")), "node_modules");
    const isPolars = (path: string) => path === modules || path.slice(modules.length).startsWith("/nodejs-polars");
    cpSync(modules, copy, { recursive: true, filter: isPolars });
    theirs = (createRequire(join(copy, "index.js"))("nodejs-polars") as { default: typeof pl }).default;
  });

  const ids = pl.DataFrame({ id: ["x", "y"] });
  const calls: [string, (their: PolarsFrame) => unknown][] = [
    ["saveFrame", (their) => saveFrame(their, "x.csv")],
    ["toCsv", (their) => toCsv(their)],
    ["toRecords", (their) => toRecords(their)],
    ["valueCounts", (their) => valueCounts(their, "id")],
    ["valuesOf", (their) => valuesOf(their, "id")],
    ["concat", (their) => concat([ids, their])],
    ["methodsOf", (their) => methodsOf(their)],
    ["join", (their) => ids.join(their, { on: "id" })],
    ["filter", () => ids.filter(theirs.col("id").eq(theirs.lit("x")))],
    ["select of a lazy frame", () => ids.lazy().select(theirs.col("id"))],
    ["agg", () => ids.groupBy("id").agg(theirs.len())],
    ["a filter of a scan", () => archive.scan.mentions("climate").filter(theirs.col("id").isNull())],
    ["an aggregate of a scan", () => archive.scan.mentions("climate").groupBy("id").agg(theirs.len())],
    ["an expression of both", () => ids.filter(pl.col("id").eq(theirs.col("id")))],
    ["a condition of when", () => pl.when(theirs.col("id").isNull()).then(pl.lit(1)).otherwise(pl.lit(0))],
    ["a value of when", () => pl.when(pl.col("id").isNull()).then(theirs.lit(1))],
    ["another value of when", () => pl.when(pl.col("id").isNull()).then(pl.lit(1)).otherwise(theirs.lit(0))],
    ["an operand of where", () => ids.filter(where({ id: "x" }).and(theirs.col("id").isNull()))],
    [
      "groups of a window",
      () =>
        ids.select(
          pl
            .col("id")
            .count()
            .over(theirs.col("id") as never),
        ),
    ],
    ["where in their frame", (their) => their.filter(where({ id: "x" }))],
    ["our frame in their join", (their) => their.join(ids, { on: "id" })],
    ["our lazy frame in their join", (their) => their.lazy().join(ids.lazy(), { on: "id" })],
    ["our frame in their vstack", (their) => their.vstack(ids)],
  ];
  it.each(calls)("has no frames and expressions for %s", async (_name, call) => {
    const their = theirs.DataFrame({ id: ["x"], begintime: [new Date(0)] });
    const error = await (async () => call(their))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "ValidationError",
      hint: expect.stringContaining('import { pl } from "archive-frames"'),
    });
  });
});

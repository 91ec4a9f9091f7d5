import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ArchiveScan, type FetchedResult, pl, ValidationError } from "../../src/index.js";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";
import { allOf, pagedArchive } from "./pagedServer.js";

type Scan = ArchiveScan<"mentions">;
type Verb = (scan: Scan, name: string) => Scan;
const folder = temporaryFolder();
let files = 0;

/** Every verb that takes a column name. */
const VERBS: Readonly<Record<string, Verb>> = {
  filter: (scan, name) => scan.filter(pl.col(name).isNotNull()),
  select: (scan, name) => scan.select("id", name),
  "select of an expression": (scan, name) => scan.select(pl.col(name).cast(pl.Utf8)),
  withColumns: (scan, name) => scan.withColumns(pl.col(name).alias("other")),
  sort: (scan, name) => scan.sort(name),
  groupBy: (scan, name) => scan.groupBy(name).agg(pl.col("length").sum()),
  agg: (scan, name) => scan.groupBy("personid").agg(pl.col(name).max()),
  "a filter that gathers": (scan, name) => scan.filter(pl.col(name).eq(pl.col(name).max())),
  "a verb after others": (scan, name) => scan.filter(pl.col("length").gt(0)).head(400).sort("length").sort(name),
};

/** Every way to run a scan. */
const WAYS: Readonly<Record<string, (scan: Scan) => Promise<unknown>>> = {
  collect: (scan) => scan.collect(),
  "head(5)": (scan) => scan.head(5).collect(),
  count: (scan) => scan.count(),
  batches: async (scan) => allOf(scan.batches()),
  sink: (scan) => scan.sink(join(folder, `${files++}.parquet`)),
};

describe("an unknown column", () => {
  it.each([...Object.keys(VERBS).map((verb) => [verb, "collect"]), ...Object.keys(WAYS).map((way) => ["filter", way])])(
    "costs no request, and the error has the columns: %s, %s",
    async (verb, way) => {
      const { server, archive } = await pagedArchive({ rows: 500 });
      const scan = (VERBS[verb] as Verb)(archive.scan.mentions("x"), "lenght");
      const error = await errorOf(WAYS[way]?.(scan) as Promise<unknown>, ValidationError);
      expect(error.message).toMatch(/lenght.*Did you mean "length".*"id", "begintime"/);
      expect(server.requests).toHaveLength(0);
    },
  );

  it("costs no request if it is declared and earlier verbs removed it", async () => {
    const { server, archive } = await pagedArchive({ rows: 500 });
    const scan = archive.scan.mentions("x");
    const plans = [scan.select("id").sort("length"), scan.groupBy("personid").agg(pl.col("length").sum()).sort("text")];
    for (const plan of plans) {
      for (const run of Object.values(WAYS)) {
        expect((await errorOf(run(plan), ValidationError)).message).toMatch(/invalid column in/);
      }
    }
    expect(server.requests).toHaveLength(0);
  });

  it("is found in pipe if the service does not declare it", async () => {
    const { archive } = await pagedArchive({ rows: 250, row: (id) => mention(id, id > 200 ? { late: id } : {}) });
    const scan = archive.scan.mentions("x");
    const late = pl.col("late").gt(240);
    expect((await errorOf(scan.filter(late).collect(), ValidationError)).message).toContain("use pipe(");
    expect((await scan.pipe((lazy) => lazy.filter(late)).collect()).height).toBe(10);
  });
});

describe("an expression of the wrong type", () => {
  it("costs no request if the column is declared", async () => {
    const { server, archive } = await pagedArchive({ rows: 500 });
    const scan = archive.scan.mentions("x");
    const plans = [
      scan.filter(pl.col("length").eq(pl.lit("x"))),
      scan.filter(pl.col("length").str.contains("x")),
      scan.withColumns(pl.col("text").date.year().alias("year")),
      scan.filter(pl.col("length")),
    ];
    for (const plan of plans) expect((await errorOf(plan.collect(), ValidationError)).code).toBe("INVALID_INPUT");
    expect(server.requests).toHaveLength(0);
  });
});

describe("a verb that fails at the end", () => {
  it("keeps the rows before any verb, in the error and in the last result", async () => {
    const { archive } = await pagedArchive({
      rows: 450,
      row: (id) => mention(id, { code: id === 430 ? "x" : id }),
    });
    const scan = archive.scan.mentions("x");
    const plans = [
      scan.pipe((lazy) => lazy.sort("lenght")),
      scan.select("id").pipe((lazy) => lazy.filter(pl.col("zz").eq(1))),
      scan.pipe((lazy) => lazy.withColumns(pl.col("code").cast(pl.Int64, true).alias("number"))),
    ];
    for (const plan of plans) {
      const error = await errorOf(plan.collect(), ValidationError);
      const partial = error.partial as FetchedResult<"polars">;
      expect(partial).toMatchObject({ rows: 450, pages: 6 });
      expect(partial.frame.height).toBe(450);
      expect(partial.frame.columns).toContain("text");
      expect(archive.lastResult()).toBe(partial);
    }
  });
});

describe("the arguments of sort and filter", () => {
  it("are columns and options", async () => {
    const { archive } = await pagedArchive({ rows: 9 });
    const scan = archive.scan.mentions("x");
    expect(() => scan.sort("length", { decending: true } as never)).toThrow(/invalid option of sort: "decending"/);
    expect(() => scan.sort([])).toThrow(/invalid by: undefined/);
    expect(() => scan.sort(["length", "id"], { descending: [true, false] } as never)).toThrow(/invalid descending/);
    expect(() => scan.filter("length" as never)).toThrow(/invalid predicate: "length"/);
  });
});

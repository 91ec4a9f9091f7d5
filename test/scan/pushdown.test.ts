import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArchiveScan, type LazyFrame, type PolarsExpr, pl, where } from "../../src/index.js";
import { generatedClient } from "../embedded/support.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { runs } from "../scale.js";

const { archive } = await generatedClient({ size: 4000 });

const sentParameters = (scan: ArchiveScan<"mentions">) =>
  /request\s+GET \S+\s+(.*)/.exec(scan.explain())?.[1]?.split("  ") ?? [];
const mentions = () => archive.scan.mentions("climate");

describe("pushdown sends", () => {
  it("limits of begintime, as days, one more on either side because the service does not say its zone", () => {
    const dates: ReadonlyArray<readonly [Parameters<typeof where>[0], ...string[]]> = [
      [{ begintime: { from: "2024-01-15", until: "2024-02" } }, "maxdate=2024-03-01", "mindate=2024-01-14"],
      [{ begintime: { from: new Date("2024-01-15T10:00:00Z") } }, "mindate=2024-01-14"],
      [{ begintime: "2024-01-15" }, "maxdate=2024-01-16", "mindate=2024-01-14"],
      [{ begintime: { until: "2023" }, length: { gt: 5 } }, "maxdate=2024-01-01"],
    ];
    for (const [conditions, ...sent] of dates)
      expect(sentParameters(mentions().filter(where(conditions))).sort()).toEqual(
        ["query=climate", "limit=1000", ...sent].sort(),
      );
    const both = mentions()
      .filter(where({ begintime: { from: "2024-01-15" } }))
      .filter(pl.col("length").gt(3))
      .filter(where({ begintime: { until: "2024-01-16" } }));
    expect(sentParameters(both)).toEqual(expect.arrayContaining(["mindate=2024-01-14", "maxdate=2024-01-17"]));
  });

  it("tighter dates than those given, but never looser ones", () => {
    const given = archive.scan.mentions("climate", { mindate: "2024-02-01" });
    const from = (day: string) => sentParameters(given.filter(where({ begintime: { from: day } })));
    expect(from("2024-03-02")).toContain("mindate=2024-03-01");
    expect(from("2024-01-01")).toContain("mindate=2024-02-01");
    const contradiction = given.filter(where({ begintime: { until: "2024-01-01" } }));
    expect(sentParameters(contradiction)).toEqual(["query=climate", "mindate=2024-02-01", "limit=1000"]);
  });

  it("the speaker", () => {
    expect(sentParameters(mentions().filter(where({ personid: 6153 })))).toContain("personid=6153");
    const given = archive.scan.mentions("x", { personid: 1 });
    expect(sentParameters(given.filter(where({ personid: 2 })))).toContain("personid=1");
  });

  it("nothing that is no condition of where, that follows another verb, or that the service cannot express", () => {
    const speaker = where({ personid: 6153 });
    const scans = [
      mentions().filter(pl.col("personid").eq(6153)),
      mentions().filter(speaker.or(pl.col("length").gt(5))),
      mentions().head(50).filter(speaker),
      mentions().withColumns(pl.col("length").alias("personid")).filter(speaker),
      mentions()
        .filter(pl.col("length").gt(pl.col("length").mean()))
        .filter(speaker),
      mentions().filter(where({ personid: { not: 6153 } })),
      mentions().filter(where({ personid: 1.5 })),
    ];
    for (const scan of scans) expect(sentParameters(scan).join(" ")).not.toContain("personid=");
  });
});

describe("explain", () => {
  it("shows what the service does, what runs locally, and the cost", () => {
    const scan = archive.scan
      .mentions("climate", { mindate: "2024-01-01" })
      .filter(where({ personid: 6153 }))
      .select("begintime", "text")
      .groupBy("text")
      .agg(pl.col("begintime").count())
      .head(3);
    expect(scan.explain()).toBe(
      [
        "SCAN mentions",
        "  request    GET /mentions  query=climate  personid=6153  mindate=2024-01-01  limit=1000",
        "  pushed     personid=6153",
        "  by page    filtered by { personid: 6153 }",
        "  by page    reduced to begintime, text",
        '  all rows   grouped by text (col("begintime").count())',
        "  then       cut to the first 3 rows",
        "  requests   at most one per page of 1000 rows, and one to confirm the end",
      ].join("\n"),
    );
    expect(archive.scan.mentions("x").head(2500).explain()).toContain("requests   at most 3");
    expect(archive.scan.mentions("x").head(0).explain()).toContain("requests   none");
  });
});

describe("a scan has the rows of its verbs on the frame of all rows", () => {
  type Rows = {
    filter(predicate: PolarsExpr): Rows;
    head(rows: number): Rows;
  };
  const day = fc
    .date({ min: new Date("2011-01-01"), max: new Date("2026-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const limits = fc.oneof(
    day,
    day.map((from) => ({ from })),
    fc.tuple(day, fc.constantFrom(4, 7, 10)).map(([until, length]) => ({ until: until.slice(0, length) })),
  );
  const predicate: fc.Arbitrary<PolarsExpr> = fc.oneof(
    limits.map((begintime) => where({ begintime })),
    fc.constantFrom(6153, 999999, 2396, 0, -1).map((personid) => where({ personid })),
    fc.integer({ min: 0, max: 600 }).map((length) => where({ length: { gt: length } })),
    fc.constantFrom("SENATE", "CLIMATE", "<b>").map((word) => pl.col("text").str.contains(word)),
  );
  const verb: fc.Arbitrary<(rows: Rows) => Rows> = fc.oneof(
    { weight: 6, arbitrary: predicate.map((each) => (rows: Rows) => rows.filter(each)) },
    { weight: 1, arbitrary: fc.nat(20).map((most) => (rows: Rows) => rows.head(most)) },
  );
  const given = fc.record(
    {
      mindate: fc.constantFrom("2012-01-01", "2020-06-15"),
      maxdate: fc.constantFrom("2021-01-01", "2026-01-01"),
      personid: fc.constantFrom(6153, 2396),
    },
    { requiredKeys: [] },
  );

  it("for every plan, whatever is pushed down", async () => {
    const query = fc.constantFrom("climate", "budget", '"artificial intelligence"');
    await fc.assert(
      fc.asyncProperty(query, given, fc.array(verb, { maxLength: 4 }), async (query, parameters, verbs) => {
        const all = archive.scan.mentions(query, parameters);
        const plan = verbs.reduce((scan, apply) => apply(scan), all as unknown as Rows) as unknown as typeof all;
        const lazy = verbs.reduce((rows, apply) => apply(rows), (await all.collect()).lazy() as unknown as Rows);
        expectSameFrame(await plan.collect(), (lazy as unknown as LazyFrame).collectSync());
      }),
      { numRuns: runs(12, 120) },
    );
  });
});

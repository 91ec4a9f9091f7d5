import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArchiveScan, pl } from "../../src/index.js";
import { generatedClient } from "../embedded/support.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { runs } from "../scale.js";

const { archive } = await generatedClient({ size: 4000 });

type AnyScan = ArchiveScan<"mentions"> | ArchiveScan<"people"> | ArchiveScan<"programsSearch"> | ArchiveScan<"bills">;

const sentParameters = (scan: AnyScan) => /request\s+GET \S+\s+(.*)/.exec(scan.explain())?.[1]?.split("  ") ?? [];

describe("pushdown sends", () => {
  const moment = (text: string) => new Date(text);
  const mentions = () => archive.scan.mentions("climate");

  it("bounds of begintime, as days", () => {
    const time = () => pl.col("begintime");
    const bounded = mentions().filter(
      time()
        .gtEq(moment("2024-01-15T10:00:00Z"))
        .and(time().lt(moment("2024-03-01"))),
    );
    expect(sentParameters(bounded)).toEqual([
      "query=climate",
      "maxdate=2024-02-29",
      "mindate=2024-01-15",
      "limit=1000",
    ]);
    expect(
      sentParameters(mentions().filter(pl.lit(moment("2024-01-15")).cast(pl.Datetime("us", "UTC")).ltEq(time()))),
    ).toContain("mindate=2024-01-15");
    const day = mentions()
      .filter(time().gtEq(moment("2024-01-15")))
      .filter(time().lt(moment("2024-01-16")));
    expect(sentParameters(day)).toEqual(["query=climate", "date=2024-01-15", "limit=1000"]);
  });

  it("tighter dates than those given, but never looser ones", () => {
    const given = archive.scan.mentions("climate", { mindate: "2024-02-01" });
    expect(sentParameters(given.filter(pl.col("begintime").gt(moment("2024-03-01"))))).toContain("mindate=2024-03-01");
    expect(sentParameters(given.filter(pl.col("begintime").gt(moment("2024-01-01"))))).toContain("mindate=2024-02-01");
    const contradiction = given.filter(pl.col("begintime").lt(moment("2024-01-01")));
    expect(sentParameters(contradiction)).toEqual(["query=climate", "mindate=2024-02-01", "limit=1000"]);
  });

  it("the speaker, however the number is written", () => {
    for (const value of [6153, pl.lit(6153).cast(pl.Int64), pl.lit(6153n), 6153n]) {
      expect(sentParameters(mentions().filter(pl.col("personid").eq(value as number)))).toContain("personid=6153");
    }
    expect(sentParameters(mentions().filter(pl.col("personid").eq(1.5)))).not.toContain("personid=1.5");
    expect(sentParameters(archive.scan.mentions("x", { personid: 1 }).filter(pl.col("personid").eq(2)))).toContain(
      "personid=1",
    );
  });

  it("names of people", () => {
    const scan = archive.scan.people().filter(
      pl
        .col("lastName")
        .eq(pl.lit("pelosi"))
        .and(pl.col("firstName").eq(pl.lit("maria"))),
    );
    expect(sentParameters(scan)).toEqual(["first=maria", "last=pelosi"]);
  });

  it("nothing that it does not understand, that follows a slice, or that concerns a changed column", () => {
    const eq = pl.col("personid").eq(6153);
    const scans = [
      mentions().filter(eq.or(pl.col("length").gt(5))),
      mentions().head(50).filter(eq),
      mentions().withColumns(pl.col("length").alias("personid")).filter(eq),
      mentions().rename({ length: "personid", personid: "other" }).filter(eq),
      mentions().sort("length").filter(eq),
      mentions().filter(pl.col("personid").neq(6153)),
      mentions().filter(pl.col("person").eq(pl.lit("6153"))),
      mentions().filter(eq).pushdown(false),
    ];
    for (const scan of scans) expect(sentParameters(scan).join(" ")).not.toContain("personid=");
  });
});

describe("explain", () => {
  it("shows what the service does, what runs locally, and the cost", () => {
    const scan = archive.scan
      .mentions("climate", { mindate: "2024-01-01" })
      .filter(pl.col("personid").eq(6153))
      .select("begintime", "text")
      .groupBy("text")
      .agg(pl.col("begintime").count())
      .head(3);
    expect(scan.explain()).toBe(
      [
        "SCAN mentions",
        "  request    GET /mentions  query=climate  personid=6153  mindate=2024-01-01  limit=1000",
        "  pushed     personid=6153",
        '  by page    filter([(col("personid")) == (6153.0)])',
        '  by page    select(col("begintime"), col("text"))',
        '  all rows   groupBy(text).agg(col("begintime").count())',
        "  then       head(3)",
        "  requests   at most one per page of 1000 rows, and one to confirm the end",
      ].join("\n"),
    );
    expect(archive.scan.mentions("x").head(2500).explain()).toContain("requests   at most 3");
    expect(archive.scan.mentions("x").head(0).explain()).toContain("requests   none");
  });
});

describe("results are equal with and without pushdown", () => {
  const day = fc.date({ min: new Date("2011-01-01"), max: new Date("2026-12-31"), noInvalidDate: true });
  const compare = fc.constantFrom("gt", "gtEq", "lt", "ltEq", "eq") as fc.Arbitrary<
    "gt" | "gtEq" | "lt" | "ltEq" | "eq"
  >;
  type Verb = (scan: ArchiveScan<"mentions">) => ArchiveScan<"mentions">;
  const predicate = fc.oneof(
    fc.tuple(compare, day).map(([op, at]) => pl.col("begintime")[op](pl.lit(at).cast(pl.Datetime("us", "UTC")))),
    fc.constantFrom(6153, 999999, 2396, 0, -1, 1.5).map((id) => pl.col("personid").eq(id)),
    fc.integer({ min: 0, max: 600 }).map((length) => pl.col("length").gt(length)),
    fc.constantFrom("SENATE", "CLIMATE", "<b>").map((word) => pl.col("text").str.contains(word)),
  );
  const both = fc.oneof(
    predicate,
    fc.tuple(predicate, predicate).map(([a, b]) => a.and(b)),
    fc.tuple(predicate, predicate).map(([a, b]) => a.or(b)),
  );
  const verbs: ReadonlyArray<[weight: number, verb: fc.Arbitrary<Verb>]> = [
    [4, both.map((expr) => (scan) => scan.filter(expr))],
    [1, fc.nat(30).map((rows) => (scan) => scan.head(rows))],
    [
      1,
      fc.tuple(fc.nat(10), fc.nat(20)).map(
        ([offset, length]) =>
          (scan) =>
            scan.slice(offset, length),
      ),
    ],
    [
      1,
      fc.constantFrom<Verb>(
        (scan) => scan.sort("length", { descending: true }),
        (scan) => scan.unique("personid"),
      ),
    ],
    [1, fc.constant((scan) => scan.withColumns(pl.col("length").mul(2).alias("length")))],
    [
      1,
      fc.constant((scan) => scan.drop("link", "programTitle").select("id", "begintime", "personid", "length", "text")),
    ],
  ];
  const verb = fc.oneof(...verbs.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const given = fc.record(
    {
      mindate: fc.constantFrom("2012-01-01", "2020-06-15"),
      maxdate: fc.constantFrom("2021-01-01", "2026-01-01"),
      personid: fc.constantFrom(6153, 2396),
    },
    { requiredKeys: [] },
  );

  it("for every plan", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("climate", "budget", '"artificial intelligence"'),
        given,
        fc.array(verb, { maxLength: 4 }),
        async (query, parameters, verbs) => {
          // A plan may drop a column that a later verb needs; then both must fail alike.
          const plan = verbs.reduce((scan, apply) => apply(scan), archive.scan.mentions(query, parameters));
          const outcome = (scan: ArchiveScan<"mentions">) => scan.collect().catch((error: Error) => error.message);
          const [on, off] = [await outcome(plan), await outcome(plan.pushdown(false))];
          if (typeof on === "string" || typeof off === "string") expect(on).toBe(off);
          else expectSameFrame(on, off);
        },
      ),
      { numRuns: runs(12, 120) },
    );
  });

  it("for people by name", async () => {
    const people = (await archive.people({ maxItems: 200 })).select("firstName", "lastName").rows() as [
      string,
      string,
    ][];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...people), fc.boolean(), async ([first, last], both) => {
        const scan = archive.scan.people().filter(pl.col("lastName").eq(pl.lit(last)));
        const plan = both ? scan.filter(pl.col("firstName").eq(pl.lit(first))) : scan;
        expectSameFrame(await plan.collect(), await plan.pushdown(false).collect());
      }),
      { numRuns: runs(1, 8) },
    );
  });
});

import { describe, expect, it } from "vitest";
import { useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel(`import { ArchiveClient, perPeriod, pl, toRecords } from "archive-frames";
const client = new ArchiveClient({ apiKey: "test", baseUrl: "http://127.0.0.1:9/" });
const day = new Date("2015-01-01");
const frame = pl.DataFrame({ person: ["a", "b"], votes: [1, 2], at: [day, day] })
  .withColumn(pl.col("at").cast(pl.Datetime("us", "UTC")));`);

describe("an error says what to type instead", () => {
  it.each([
    ['frame.filter(pl.col("person").eq("Nobody"))', "a value is pl.lit(value)"],
    ['frame.select("vote")', "The names of the columns are in frame.columns."],
    ['frame.filter(pl.col("at").gt(pl.lit(day)))', 'pl.lit(date).cast(pl.Datetime("us", "UTC"))'],
    ['frame.filter(pl.col("at").gt(pl.lit("2015-06-01")))', 'where({ begintime: { from: "2022-08-16" } })'],
    ['frame.sort("person", "votes")', 'frame.sort(["party", "person"])'],
    ['frame.groupBy(perPeriod("at", "year"))', '.groupBy("month")'],
    ['frame.filter(pl.col("person") == "a")', 'pl.col("party").eq(pl.lit("D"))'],
    ['frame.filter(pl.col("at") > day)', "Compare with methods"],
    ['frame.groupBy("person").count()', "A group counts its rows with .len()."],
    ['pl.when(pl.col("votes").gt(1)).then("many")', 'A text value is pl.lit("text")'],
    ['frame.select(["person", "votes"])', 'select("person", "text"), or select(...names)'],
    ["frame.length", "The number of rows is frame.height."],
    ["print(frame)", "console.log(…)"],
    ["show(frame)", 'import { display, show, chart } from "archive-frames/notebook";'],
    ['client.bills("budget").height', "Is an `await` missing?"],
    ["frame.toRecords()[0].at.getFullYear()", 'toRecords<FrameRow<"mentions">>(frame)'],
  ])("%s", async (code, hint) => {
    expect(await kernel.trace(code)).toContain(hint);
  });

  it.each(["frame.missing", "unknown", "throw new Error('plain')", "throw null"])(
    "but %s gets no hint",
    async (code) => {
      expect(await kernel.trace(code)).not.toMatch(/\n\n[A-Z]/);
    },
  );

  it("that works", async () => {
    expect(
      await kernel.value(`[
  frame.filter(pl.col("person").eq(pl.lit("a"))).height,
  frame.filter(pl.col("at").gt(pl.lit(day).cast(pl.Datetime("us", "UTC")))).height,
  frame.groupBy("person").len().height,
  frame.sort(["person", "votes"]).height,
  frame.withColumns(perPeriod("at", "year")).groupBy("year").len().height,
  toRecords<{ at: Date }>(frame)[0].at.getUTCFullYear(),
]`),
    ).toBe("[ 1, 0, 2, 2, 1, 2015 ]");
  });
});

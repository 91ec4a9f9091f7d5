import { beforeAll, describe, expect, it } from "vitest";
import { START, useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel();

beforeAll(async () => {
  const { error } = await kernel.run(`import { ArchiveClient, pl, toRecords } from "archive-frames";
const archive = new ArchiveClient({ apiKey: "test", baseUrl: "http://127.0.0.1:9/" });
const day = new Date("2015-01-01"), instants = ["2014-05-01T00:00:00Z", "2016-05-01T00:00:00Z"];
const frame = pl.DataFrame({ person: ["a", "b"], votes: [1, 2], at: instants.map((text) => new Date(text)) })
  .withColumn(pl.col("at").cast(pl.Datetime("us", "UTC")));`);
  expect(error).toBeUndefined();
}, START);

/** The error of a cell as plain text. */
async function failure(code: string): Promise<string> {
  return (await kernel.run(code)).error?.traceback.join("\n") ?? "";
}

describe("an error says what to type instead", () => {
  it.each([
    // Text and time in polars.
    ['frame.filter(pl.col("person").eq("Nobody"))', 'If it is a value, write pl.lit("Nobody").'],
    ['frame.filter(pl.col("persn").eq(pl.lit("a")))', 'Did you mean "person"?'],
    ['frame.select(pl.col("votes").plus("x"))', 'write pl.lit("x")'],
    ['frame.select("vote")', 'Did you mean "votes"? The names of the columns are in frame.columns.'],
    ['frame.filter(pl.col("at").gt(pl.lit(day)))', 'pl.lit(date).cast(pl.Datetime("us", "UTC"))'],
    ['frame.filter(pl.col("at").gt(day))', 'pl.lit(date).cast(pl.Datetime("us", "UTC"))'],
    ['frame.lazy().filter(pl.col("at").gt(pl.lit(day))).collectSync()', 'pl.lit(date).cast(pl.Datetime("us", "UTC"))'],
    ["frame.filter((row) => row.votes > 1)", "frame.toRecords().filter(…)"],
    // Habits from Python.
    ['frame.filter(pl.col("person") == "a")', 'pl.col("party").eq(pl.lit("D"))'],
    ['frame.groupBy("person").count()', "A group counts its rows with .len()."],
    ['frame.sort("votes", { descending: true })', 'sort({ by: "name", descending: true })'],
    ['frame.sort("votes", descending=true)', "no named arguments. Pass an object: { descending: … }"],
    ["frame.person.unique()", 'It is a column: frame.getColumn("person").'],
    ["print(frame)", "console.log(…)"],
    ['pl.when(pl.col("votes").gt(1)).then("many")', 'A text value is pl.lit("text")'],
    ['frame.select(["person", "votes"])', 'select("person", "text"), or select(...names)'],
    ['frame.sort("votes", { reverse: true })', 'sort({ by: "name", descending: true })'],
    ['frame.sort({ by: "votes", reverse: true })', 'sort({ by: "name", descending: true })'],
    ['frame.filter(pl.col("at") > day)', "Compare with methods"],
    ['frame.filter(pl.col("person").contains("a"))', 'pl.col("text").str.contains("tax")'],
    ["frame.select(pl.count())", "Count rows with pl.len()"],
    ['frame.writeExcel("x.xlsx")', 'saveFrame(frame, "table.xlsx")'],
    ['frame["person"].value_counts()', 'frame.groupBy("person").len()'],
    ["frame.length", "The number of rows is frame.height."],
    ['frame.join(pl.DataFrame({ id: [1] }) as pl.DataFrame, { on: "person" })', 'leftOn: "person", rightOn: "id"'],
    // This package.
    ["display(frame)", 'import { display } from "archive-frames/notebook";'],
    ["lastResult()", "archive.lastResult()"],
    ['archive.bills("budget").height', "Is an `await` missing?"],
    ['await archive.bills("budget", 10)', "Options are an object, for example { maxItems: 10 }."],
    ['await archive.mentions("budget", { from: "2010" })', "Did you mean mindate? The options are"],
    ['await archive.mentions("budget", { unknown: 1 })', "There is no option unknown. The options are cursor, date,"],
    ['await archive.sample("mentions", "budget", { n: 10 })', "Did you mean rows?"],
    ['await archive.count("budget")', 'The search comes first: "mentions", "climate change"'],
    ['await archive.save(frame, "x.xlsx")', 'await saveFrame(frame, "table.xlsx")'],
    ['await archive.speechesOnBill("H.R. 5376", { congress: 117 })', 'Write { number: "H.R. 5376", congress: 117'],
    ["await archive.speechesOnBill(frame.row(0), { congress: 117 })", "toRecords(bills)[0]"],
    ['await archive.mentions("budget", { mindate: day })', "date.toISOString().slice(0, 10)"],
    ['import { topTerms } from "archive-frames/text";', "It exports collocations, dispersion,"],
    ['import { kwic } from "archive-frames";', 'It is in another module: import { kwic } from "archive-frames/text";'],
    ["keyness(frame, frame)", 'import { keyness } from "archive-frames/text";'],
    ["frame.toRecords()[0].at.getFullYear()", 'toRecords<FrameRow<"mentions">>(frame)'],
  ])("%s", async (code, hint) => {
    expect(await failure(code)).toContain(hint);
  });

  it.each([
    ["frame.missing"],
    ["unknown"],
    ["throw new Error('plain')"],
    ["throw null"],
    ["frame.pivot({ unknown: 1 })"],
  ])("but %s gets no hint", async (code) => {
    expect(await failure(code)).not.toMatch(/\n\n[A-Z]/);
  });

  it("names the cell that declares a name but did not run", async () => {
    await kernel.run("const lost = 1;\nlost.missing");
    expect(await failure("lost + 1")).toMatch(/Cell \d+ declares lost, but none of it ran/);
    await kernel.run("const lost = 1;");
    expect((await kernel.run("lost + 1")).value?.["text/plain"]).toBe("2");
  });

  it("does not show the object in which names are kept", async () => {
    expect((await kernel.run("frame['person'].value_counts()")).error?.evalue).toBe(
      "frame.person.value_counts is not a function",
    );
  });

  it("that works", async () => {
    const { value } = await kernel.run(`[
  frame.filter(pl.col("person").eq(pl.lit("a"))).height,
  frame.filter(pl.col("at").gt(pl.lit(day).cast(pl.Datetime("us", "UTC")))).height,
  frame.lazy().filter(pl.col("at").gt(pl.lit(day).cast(pl.Datetime("us", "UTC")))).collectSync().height,
  frame.groupBy("person").len().height,
  frame.sort({ by: "votes", descending: true }).getColumn("person").toArray().join(""),
  toRecords<{ at: Date }>(frame)[0].at.getUTCFullYear(),
]`);
    expect(value?.["text/plain"]).toBe("[ 1, 1, 1, 2, 'ba', 2014 ]");
  });
});

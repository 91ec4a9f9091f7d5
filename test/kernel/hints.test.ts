import { beforeAll, describe, expect, it } from "vitest";
import { PYTHON_MEMBERS } from "../../src/kernel/cells/hints.js";
import { sampled } from "../scale.js";
import { builtKernel, useKernel } from "./kernels.js";

// Not the shared kernel: in it, other files have imported what these cells forget to import.
const kernel = useKernel(builtKernel());
beforeAll(async () => {
  await kernel.value(`import { ArchiveClient, perPeriod, pl, toRecords, where } from "archive-frames";
const client = new ArchiveClient({ apiKey: "test", baseUrl: "http://127.0.0.1:9/" });
const day = new Date("2015-01-01");
const frame = pl.DataFrame({ person: ["a", "b"], votes: [1, 2], at: [day, day] })
  .withColumn(pl.col("at").cast(pl.Datetime("us", "UTC")));`);
});

describe("an error says what to type instead", () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: cells are strings here.
  it.each([
    ['frame.filter(pl.col("person").eq("Nobody"))', "a value is pl.lit(value)"],
    ['frame.select("vote")', "The names of the columns are in frame.columns."],
    ['frame.filter(pl.col("at").gt(pl.lit(day)))', 'pl.lit(date).cast(pl.Datetime("us", "UTC"))'],
    ['frame.filter(pl.col("at").gt(pl.lit("2015-06-01")))', 'where({ begintime: { from: "2022-08-16" } })'],
    ['frame.sort("person", "votes")', 'frame.sort(["party", "person"])'],
    ['frame.groupBy(perPeriod("at", "year"))', '.groupBy("month")'],
    ['frame.filter(pl.col("person") == "a")', 'pl.col("party").eq(pl.lit("D"))'],
    ['frame.filter(pl.col("at") > day)', "Compare with methods"],
    ['frame.groupBy("person").count()', 'valueCounts(frame, "person")'],
    ['frame.sort("votes", { descending: true })', 'frame.sort("length", true)'],
    ["frame.sort({ descending: true })", 'frame.sort({ by: "length", descending: true })'],
    ['frame.filter(where({ from: "2024", to: "2025" }))', "where({ begintime: {"],
    ['frame[frame.getColumn("votes").gt(1)]', "Rows are chosen by filter"],
    ["using opened = client", "await using archive = await openArchive();"],
    ["df = frame.head()", "Declare it: const df = frame.head()"],
    ["const later = later.head()", "declare it with let once, and assign: frame = frame.head()"],
    ["import pandas as pd", 'import { openArchive, pl } from "archive-frames";'],
    ["from polars import col", 'import { openArchive, pl } from "archive-frames";'],
    ["def double(x): return 2 * x", "const half = (value: number) => value / 2;"],
    ["for x in frame: print(x)", "for (const row of toRecords(frame))"],
    ["# a comment", "// text"],
    ['f"{frame}"', "`${frame.height} rows`"],
    ["!ls", "Cells are TypeScript"],
    ['frame.merge(frame, on="person")', 'frame.join(other, { on: "person" })'],
    ["frame.head?", "Shift+Tab"],
    ["len(frame)", "frame.height"],
    ["True", "true."],
    ["kwic(frame, 'a')", 'import { kwic } from "archive-frames/text";'],
    ["(frame as any).iloc[0]", "Instead of iloc: frame.slice(0, 5)"],
    ["(frame as any).value_counts()", 'import { valueCounts } from "archive-frames";'],
    ['pl.when(pl.col("votes").gt(1)).then("many")', 'A text value is pl.lit("text")'],
    ['frame.select(["person", "votes"])', 'select("person", "text"), or select(...names)'],
    ["frame.missing", 'A column is frame.getColumn("missing")'],
    ["frame.columns.append('a')", 'Instead of append: list.push("a").'],
    ["frame.length", "The number of rows is frame.height."],
    ["print(frame)", "console.log(…)"],
    ["show(frame)", 'import { show } from "archive-frames/notebook";'],
    ["Promise.resolve(frame).height", "Is an `await` missing?"],
    ["frame.toRecords()[0].at.getFullYear()", 'toRecords<FrameRow<"mentions">>(frame)'],
  ])("%s", async (code, hint) => {
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: cells are strings here.
    expect(await kernel.told(code)).toContain(hint);
  });

  it.each(["unheard", "throw new Error('plain')", "throw null"])("but %s gets no hint", async (code) => {
    expect(await kernel.told(code)).not.toMatch(/\n\n[A-Z]|\n[A-Z]/);
  });

  it.each(sampled([...PYTHON_MEMBERS], 15))("about %s, in an error and in completion", async (name, code) => {
    expect(await kernel.told(`(frame as any).${name}()`)).toContain(`Instead of ${name}: ${code}.`);
    const typed = `frame.${name.slice(0, -1)}`;
    const { matches } = await kernel.client.request("complete_request", { code: typed, cursor_pos: typed.length });
    if (!(matches as string[]).some((each) => each.startsWith(name.slice(0, -1)))) expect(matches).toContain(code);
  });

  it("that works", async () => {
    await kernel.value(`import { perPeriod, readFrame, saveFrame, toRecords, valueCounts, valuesOf, where } from "archive-frames";
import { chart } from "archive-frames/notebook";
const other = pl.DataFrame({ person: ["a"], party: ["D"] });
const mentions = pl.DataFrame({ person: ["a", "b"], text: ["x", null], length: [61, 1], begintime: [day, day] });
for (const format of ["csv", "parquet", "xlsx", "json"]) await saveFrame(mentions, \`rows.\${format}\`);`);
    // In one cell: the compiler takes most of the time.
    const blocks = [...new Set(PYTHON_MEMBERS.values())].map((code) => `{ const frame = mentions;\nvoid (${code}); }`);
    expect(await kernel.told(blocks.join("\n"))).toBe("");
  });

  it("of an error that works", async () => {
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

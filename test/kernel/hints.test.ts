import { beforeAll, describe, expect, it } from "vitest";
import { FRAME_HABITS, LINE_HABITS, MESSAGE_HABITS, NAME_HABITS, TEXT_HABITS } from "../docs/habitsPage.js";
import { sampled } from "../scale.js";
import { useKernel } from "./kernels.js";

// Not the shared kernel: in it, other files have imported what these cells forget to import.
const kernel = useKernel();
beforeAll(async () => {
  await kernel.value(`import { openArchive, perPeriod, pl, toRecords } from "archive-frames";
const archive = await openArchive({ announce: false });
const day = new Date("2015-01-01"), text = "climate", list = ["a", "b"];
const frame = pl.DataFrame({ person: ["a", "b"], party: ["D", "R"], text: ["x", "y"], length: [61, 1], begintime: [day, day] })
  .withColumn(pl.col("begintime").cast(pl.Datetime("us", "UTC")));
const other = pl.DataFrame({ person: ["a"], party: ["D"] });`);
});

const PATTERNS = [...Object.keys(MESSAGE_HABITS), ...Object.keys(LINE_HABITS)].map((habit) => habit.split(" → "));
/** What is typed as it is shown would not fail, or is not code. */
const TYPED: Readonly<Record<string, string>> = {
  '.then("long")': 'pl.when(pl.col("length").gt(60)).then("long")',
  "frame.groupBy(perPeriod(…))": 'frame.groupBy(perPeriod("begintime", "month"))',
  'frame[frame["length"] > 60]': 'frame[frame.getColumn("length").gt(60)]',
  "pip install": "pip install pandas",
  'pl.col("begintime").gt(pl.lit("2022-08-16"))': 'frame.filter(pl.col("begintime").gt(pl.lit("2022-08-16")))',
};

describe("a habit", () => {
  it.each(sampled(PATTERNS, 10))("%s is told what to type", async (typed = "", code = "") => {
    expect(await kernel.told(TYPED[typed] ?? typed)).toContain(`: ${code}`);
  });

  it.each([
    ["(frame as any).iloc[0]", "Instead of iloc: frame.slice(0, 5)"],
    ["(frame as any).value_counts()", 'import { valueCounts } from "archive-frames";'],
    ["frame.columns.append('a')", 'Instead of append: list.push("a").'],
    ["len(frame)", "Instead of len: frame.height."],
    ["kwic(frame, 'a')", 'import { kwic } from "archive-frames/text";'],
    ["df = frame.head()", "Declare it: const df = frame.head()"],
    ['archive.scan.mentions("a").join(other)', "scan.pipe((lazy) => lazy.join("],
    ["frame.missing", 'A column is frame.getColumn("missing")'],
    ['frame.select("vote")', "pl.lit("],
  ])("%s is told by name", async (code, hint) => {
    expect(await kernel.told(code)).toContain(hint);
  });

  it.each(sampled([...FRAME_HABITS], 10))("%s is told in an error and in completion", async (name, code) => {
    expect(await kernel.told(`(frame as any).${name}()`)).toContain(`Instead of ${name}: ${code}.`);
    const typed = `frame.${name.slice(0, -1)}`;
    const { matches } = await kernel.request("complete_request", { code: typed, cursor_pos: typed.length });
    if (!(matches as string[]).some((each) => each.startsWith(name.slice(0, -1)))) expect(matches).toContain(code);
  });

  it("has TypeScript that runs, in every row", async () => {
    await kernel.value(`import { readFrame, saveFrame, valueCounts, valuesOf, where, type FrameRow } from "archive-frames";
import { chart } from "archive-frames/notebook";
for (const format of ["csv", "parquet", "xlsx", "json"]) await saveFrame(frame, \`rows.\${format}\`);`);
    const tables = [FRAME_HABITS, TEXT_HABITS, NAME_HABITS].flatMap((table) => [...table.values()]);
    const codes = [...new Set([...tables, ...PATTERNS.map(([, code = ""]) => code)])];
    // In one cell: the compiler takes most of the time. At its end, a constant of an earlier cell gets another value.
    const blocks = codes.filter((code) => !code.startsWith("import ")).map((code) => `{\n${code}\n}`);
    expect(await kernel.told(`${blocks.join("\n")}\nother = other.head(1);\nnull`)).toBe("");
  });
});

it.each(["unheard", "throw new Error('plain')", "throw null"])("but %s gets no hint", async (code) => {
  expect(await kernel.told(code)).not.toMatch(/\n\n[A-Z]|\n[A-Z]/);
});

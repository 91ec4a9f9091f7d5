import { expect, it } from "vitest";
import { FULL } from "../scale.js";
import { useKernel } from "./kernels.js";

/** What a newcomer who knows pandas types in the first five minutes, cell by cell. */
const TYPED = `archive = await openArchive()
archive.help()
help(archive)
archive.mentions?
await archive.mentions("climate", 100)
await archive.mentions("climate", maxItems=100)
await archive.mentions("climate", { max_items: 100 })
await archive.mentions("climate", { mindate: "January 2024" })
await archive.mentions({ query: "climate" })
await archive.bills()
await archive.people({ name: "Pelosi" })
await archive.speechesOnBill("H.R. 5376")
await archive.count("climate")
type(df)
print(df.head())
df.person
df.person.value_counts()
df.sort("length", descending=True)
df.sort({ by: "length", reverse: true })
df[["person", "length"]]
df.filter(pl.col("length") > 60)
df.filter("length > 60")
df.loc[0]
df.text.str.contains("carbon")
df.begintime.dt.year
df.forEach((row) => console.log(row))
df.plot.bar()
chart(df)
await save(df, "rows.csv")
await archive.save(df, "rows.csv")
await readFrame("nothere.csv")
await sql("select count(*) from mentions", df)
await rates(df, "climate")
valueCounts(df, "nobody")
df.columns.map((name) => name.upper())
None`.split("\n");

/** What errors of the package say after what was wrong. */
const SAYS_WHAT_TO_TYPE =
  /\. (?:Give|Did you mean|Valid names|The columns are|It is required|Check the path)|Did you mean/;

const kernel = useKernel();

/** In `npm test`, a third of the cells. */
const cells = TYPED.filter((_code, at) => FULL || at % 3 === 0);

/** What a cell is told below its error or its warnings: lines that begin with neither a place nor code. */
function advice(told: string): string[] {
  const lines = told.split("\n").map((line) => line.trim());
  const place = lines.findLastIndex((line) => /^(?:\d* *\||Note: \d+:|\d+:\d+ - |at )/.test(line));
  return lines.slice(place + 1).filter((line) => line !== "" && !/^(?:Cannot|Overload|Argument|Type) /.test(line));
}

it("a newcomer stumbles nowhere: each error says what to type, and that works", async () => {
  await kernel.value(`import { openArchive } from "archive-frames";
const archive = await openArchive({ announce: false });
const df = await archive.mentions("climate", { maxItems: 100 });`);
  const stumbles: string[] = [];
  for (const code of cells) {
    const told = await kernel.told(code);
    const hints = advice(told);
    if (hints.length === 0 && !SAYS_WHAT_TO_TYPE.test(told)) stumbles.push(`${code}: no hint:\n${told}`);
    for (const hint of hints) {
      const [, instead] = /^Instead of \w+: (.*?)\.(?: import |$)/.exec(hint) ?? [];
      const [, imported] = /(import .*;)$/.exec(hint) ?? [];
      const works = [
        imported,
        instead && `{ const frame = df, other = df, text = "a", list = ["a"]; void (${instead}); }`,
      ];
      const problem = await kernel.told(works.filter(Boolean).join("\n"));
      if (problem !== "" && !problem.startsWith("archive-frames: ")) stumbles.push(`${code}: ${hint}: ${problem}`);
    }
  }
  expect(stumbles).toEqual([]);
});

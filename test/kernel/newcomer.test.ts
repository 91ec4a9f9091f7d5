import { expect, it } from "vitest";
import { FULL } from "../scale.js";
import { builtKernel, useKernel } from "./kernels.js";

/** What a newcomer who knows pandas types in the first five minutes, cell by cell. */
const TYPED = `archive = await openArchive()
import pandas as pd
const pd = require("pandas")
import pl from "polars"
pip install pandas
%matplotlib inline
df = await archive.mentions("climate")
archive.mentions("climate").head()
archive.search("climate")
archive.quota
archive.help()
help(archive)
dir(archive)
?archive.mentions
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
len(df)
type(df)
print(df.head())
df.length
df.info()
df.person
df.person.value_counts()
df["person"].value_counts()
df.groupby("person").size()
df.groupBy("person").count()
df.sort("length", descending=True)
df.sort({ by: "length", reverse: true })
df.sort_values("length", ascending=False)
df[df["length"] > 60]
df[["person", "length"]]
df[0:5]
df.filter(pl.col("length") > 60)
df.filter((row) => row.length > 60)
df.filter("length > 60")
df.query("length > 60")
df.iloc[0]
df.loc[0]
df.isna().sum()
df.drop_duplicates()
df.nunique()
df.merge(df, on="person")
df.join(df, "person")
df.assign(minutes=df.length / 60)
df.with_columns(pl.col("length") / 60)
df.text.str.contains("carbon")
df.begintime.dt.year
df.map((row) => row.person)
df.forEach((row) => console.log(row))
df.append(df)
df.toCSV("rows.csv")
df.to_csv("rows.csv")
df.to_pandas()
df.plot.bar()
plt.plot(df)
chart(df)
await save(df, "rows.csv")
await archive.save(df, "rows.csv")
await readFrame("nothere.csv")
await sql("select count(*) from mentions", df)
await rates(df, "climate")
valueCounts(df, "nobody")
df.columns.map((name) => name.upper())
[x for x in df.columns]
lambda x: x + 1
f"{df.height} rows"
if df.height > 3: print(1)
None`.split("\n");

/** What errors of the package say after what was wrong. */
const SAYS_WHAT_TO_TYPE =
  /\. (?:Give|Did you mean|Valid names|The columns are|It is required|Check the path)|Did you mean/;

const kernel = useKernel(builtKernel());

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

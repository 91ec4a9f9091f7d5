import { FRAME_HABITS, LINE_HABITS, MESSAGE_HABITS, NAME_HABITS, TEXT_HABITS } from "../../src/kernel/cells/hints.js";

export { FRAME_HABITS, LINE_HABITS, MESSAGE_HABITS, NAME_HABITS, TEXT_HABITS };

const TRAPS = `## Five traps of polars

\`\`\`ts
import { pl, valuesOf } from "archive-frames";
const frame = await archive.mentions("climate", { maxItems: 100 });
// A text in an expression is the name of a column: write pl.lit, or use where.
const climate = frame.filter(pl.col("programTitle").neq(pl.lit("News")).and(pl.col("text").isNotNull()));
// JavaScript compares expressions with > itself: write gt.
const long = climate.filter(pl.col("length").gt(60));
// The sum of a mask is the number of its rows.
climate.select(pl.col("length").gt(60)).getColumn("length").sum() === long.height; //=> true
// Series.get cuts whole numbers to 32 bits: take valuesOf, or toRecords.
valuesOf(long, "length").length === long.height; //=> true
// groupBy(…).len() makes a column for each key, named person_count; pl.len() makes one, named len.
long.groupBy("person", "programid").agg(pl.len()).columns; //=> ["person", "programid", "len"]
\`\`\``;

/** The page of the habits that the kernel knows: one line for each code, after all names for it. */
export function habitsPage(): string {
  const patterns = [...Object.keys(MESSAGE_HABITS), ...Object.keys(LINE_HABITS)].map((habit) => habit.split(" → "));
  const sections = [
    section("Members of frames", [...FRAME_HABITS]),
    section("Members of strings and lists", [...TEXT_HABITS]),
    section("Functions and values", [...NAME_HABITS]),
    section("Expressions and syntax", patterns as Array<[string, string]>),
    TRAPS,
  ];
  const intro = `This page lists what you type in pandas, polars or R, and the TypeScript for it. \`frame\` is a frame of mentions, \`other\` a second one,
\`list\` an array and \`text\` a string. A notebook of our kernel says the same below an error, and offers it as completion.`;
  return `${["# From pandas, polars and R", "[Index](../API.md)", intro, ...sections].join("\n\n")}\n`;
}

function section(title: string, rows: ReadonlyArray<readonly [typed: string, code: string]>): string {
  const codes = [...new Set(rows.map(([, code]) => code))];
  const lines = codes.map((code) => {
    const names = rows.filter((row) => row[1] === code).map(([typed]) => quoted(typed));
    return `- ${names.join(", ")}: ${quoted(code)}`;
  });
  return `## ${title}\n\n${lines.join("\n")}`;
}

function quoted(code: string): string {
  return code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``;
}

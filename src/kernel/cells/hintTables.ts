/** What to type instead, by the pattern of a message. */
export type HintTable = ReadonlyArray<readonly [message: RegExp, hint: string]>;

/** Where names come from that users try without an import. */
export const MODULES = [
  "archive-frames",
  "archive-frames/notebook",
  "archive-frames/text",
  "archive-frames/members",
  "archive-frames/corpus",
] as const;

/** What people type who know Python or R, and what it is called here. */
export const FOREIGN_NAMES = byName([
  ["print", "TypeScript prints with console.log(…). The last expression of a cell is shown by itself."],
  ["lastResult", "It is a method of the client: archive.lastResult()."],
  ["results", "It is a method of the client: archive.results()."],
  ["None", "TypeScript writes null."],
  ["True", "TypeScript writes true."],
  ["False", "TypeScript writes false."],
  ["len", "TypeScript writes rows.length, and a frame has frame.height."],
]);

/** Members of frames, groups and columns that pandas, dplyr or polars of Python have under these names. */
export const FOREIGN_MEMBERS = byName([
  [
    "writeExcel write_excel toExcel to_excel writeXLSX",
    'Write a frame with await saveFrame(frame, "table.xlsx") from "archive-frames".',
  ],
  ["to_csv toCSV", 'Write CSV with frame.writeCSV("table.csv").'],
  ["length len nrow", "The number of rows is frame.height."],
  [
    "value_counts valueCounts",
    'Count the rows of each value with frame.groupBy("person").len(), or frame.getColumn("person").valueCounts().',
  ],
  ["sort_values sortValues sortBy orderBy arrange", 'Sort with frame.sort("length", true) from high to low.'],
  ["merge", 'Join with frame.join(other, { on: "personid", how: "left" }).'],
  ["assign mutate", 'Add columns with frame.withColumns(pl.col("length").div(60).alias("minutes")).'],
  ["query loc", 'Filter with frame.filter(pl.col("length").gt(60)).'],
  ["iloc", "Take rows with frame.slice(0, 5), frame.head(5) or frame.row(0)."],
  [
    "plot",
    'Draw mentions with mentionsOverTime(frame), anything else with chart(…), both from "archive-frames/notebook".',
  ],
  ["map apply", "Loop over rows with toRecords(frame).map(…), from archive-frames."],
  ["forEach iterrows", "Loop over rows with for (const row of toRecords(frame)), from archive-frames."],
  [
    "contains startsWith endsWith lower toLowerCase",
    'Methods of text are in .str: pl.col("text").str.contains("tax").',
  ],
  ["year month", 'Parts of a timestamp are in .date: pl.col("begintime").date.year().'],
  ["toJSON", "Rows are toRecords(frame), from archive-frames; JSON text is frame.writeJSON()."],
]);

/** Options, and what people call them. The first one that the call has is meant. */
export const FOREIGN_OPTIONS: ReadonlyArray<readonly [option: string, foreign: string]> = [
  ["mindate", "from since start after"],
  ["maxdate", "to until end before"],
  ["rows", "n size count"],
  ["maxItems", "n size max maxResults count limit"],
  ["limit", "n size top"],
  ["top", "n max"],
  ["rows", "max top limit"],
  ["personid", "speaker person"],
  ["videotype", "type"],
  ["format", "type"],
  ["by", "period freq groupBy"],
  ["window", "period freq width"],
  ["context", "width"],
  ["dest", "path"],
  ["directory", "path"],
];

/** Messages of TypeScript. */
export const TYPE_HINTS: HintTable = [
  [
    /types 'Expr' and '\w+' have no overlap|Operator '[<>]=?' cannot be applied to types 'Expr'/,
    'Compare with methods: pl.col("party").eq(pl.lit("D")), .gt(60), .and(…).',
  ],
  [/Property 'count' does not exist on type '\w*GroupBy'/, "A group counts its rows with .len()."],
  [
    /type 'string' is not assignable to parameter of type 'Expr'/,
    'A text value is pl.lit("text"), a column is pl.col("name").',
  ],
  [
    /'\{ \w+: boolean; \}' is not assignable to parameter of type 'boolean'|and 'reverse' does not exist in type '\{ by:/,
    'Write sort({ by: "name", descending: true }), or sort("name", true).',
  ],
  [
    /'string\[\]' is not assignable to parameter of type '(?:ExprOrString|string \| number \| symbol)'/,
    'Names are arguments of their own: select("person", "text"), or select(...names).',
  ],
  [/does not exist on type 'Promise</, "Is an `await` missing?"],
  [/^Type '\d+' has no properties in common with type/, "Options are an object, for example { maxItems: 10 }."],
  [
    /does not exist on type 'string \| number \| bigint \| boolean'/,
    'toRecords() of polars does not know the types of columns. With import { toRecords, type FrameRow } from "archive-frames"; write toRecords<FrameRow<"mentions">>(frame), or name the columns of your own: toRecords<{ year: number; n: number }>(frame).',
  ],
  [
    /'"[^"\n]*"' is not assignable to parameter of type '(?:SearchName|"mentions")'/,
    'The search comes first: "mentions", "climate change", { … }.',
  ],
  [
    /Argument of type '\w*Frame(?:<\w+>)?' is not assignable to parameter of type '"bills"/,
    'Write a frame that you have with await saveFrame(frame, "table.xlsx") from "archive-frames".',
  ],
  [
    /'string' is not assignable to parameter of type 'BillRowLike'/,
    'Write { number: "H.R. 5376", congress: 117, title: "Inflation Reduction Act" }, or pass a row of archive.bills(…).',
  ],
  [
    /'any\[\]' has no properties in common with type 'BillRowLike'/,
    "A row of a frame is a list of values. Pass an object: toRecords(bills)[0].",
  ],
  [
    /^Type 'Date' is not assignable to type 'string'/,
    'Days of a search are text: "2024-02-29", or date.toISOString().slice(0, 10).',
  ],
];

/** Messages of polars. */
export const POLARS_HINTS: HintTable = [
  [
    /comparison between series .{0,300}Datetime\('.s', 'UTC'\).{0,300}Datetime\('ms'\)/s,
    'Columns of timestamps are in microseconds and UTC. Write pl.lit(date).cast(pl.Datetime("us", "UTC")).',
  ],
  [
    /Unknown JS variables cannot be represented/,
    "Frames take expressions, not functions. Filter rows by a function with frame.toRecords().filter(…).",
  ],
];

/** Names that share a hint are separated by spaces. */
function byName(hints: ReadonlyArray<readonly [names: string, hint: string]>): ReadonlyMap<string, string> {
  return new Map(hints.flatMap(([names, hint]) => names.split(" ").map((name) => [name, hint] as const)));
}

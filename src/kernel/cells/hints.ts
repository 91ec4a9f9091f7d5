import { createRequire } from "node:module";
import type { Diagnostic } from "../converter/converter.js";

/** Only the beginning of a longer message is searched. */
const MAX_MESSAGE = 5000;

const MAX_HINTS = 3;

/** What to type instead, for up to three errors: their messages, and the lines of the cell that caused them. */
export function hintsFor(faults: ReadonlyArray<Pick<Diagnostic, "message" | "source">>): string[] {
  const hints = faults.slice(0, 2 * MAX_HINTS).map(({ message, source: line = "" }) => {
    const text = message.slice(0, MAX_MESSAGE);
    const isSyntax = /^Cannot find name|expected\.|^Unexpected keyword|^Invalid character|^Circular/.test(text);
    return (
      (isSyntax ? habitHint(LINE_HABITS, line) : undefined) ??
      habitHint(MESSAGE_HABITS, text) ??
      nameHint(/^Cannot find name '([\w$]+)'/.exec(text)?.[1], line) ??
      memberHint(text, line)
    );
  });
  return [...new Set(hints.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
}

function habitHint(habits: Readonly<Record<string, RegExp>>, text: string): string | undefined {
  const [habit] = Object.entries(habits).find(([, pattern]) => pattern.test(text)) ?? [];
  const [typed = "", code] = habit?.split(" → ") ?? [];
  return insteadOf(typed, code);
}

/** The hint for an undeclared name: where to import it from, how to declare it, or what it is in TypeScript. */
function nameHint(name: string | undefined, line: string): string | undefined {
  if (name === undefined) return undefined;
  const statement = importOf(name);
  if (statement !== undefined) return `It needs an import: ${statement}`;
  const typed = line.trim();
  if (typed.startsWith(name) && /^\s*=[^=]/.test(typed.slice(name.length)))
    return `Declare it: const ${typed.slice(0, 80)}`;
  return insteadOf(name, NAME_HABITS.get(name));
}

/** A missing member of a frame, or of what belongs to one, in a type error. */
const OF_FRAME =
  /^Property '(\w+)' does not exist on type '(?:\w*DataFrame|PolarsFrame|Series|GroupBy|ArchiveScan|typeof pl\b)/;

/** The hint for a missing member, by its name in Python: of a type, of a value, or in the line whose value is undefined. */
function memberHint(message: string, line: string): string | undefined {
  const ofScan = /^Property '(\w+)' does not exist on type 'ArchiveScan/.exec(message)?.[1];
  if (ofScan !== undefined && !FRAME_HABITS.has(ofScan))
    return `A scan has few verbs, and pipe for all others: scan.pipe((lazy) => lazy.${ofScan}(…)). Give it lazy frames: other.lazy().`;
  const ofText = /^Property '(\w+)' does not exist on type '(?:string|\w+\[\])'/.exec(message)?.[1];
  if (ofText !== undefined) return insteadOf(ofText, TEXT_HABITS.get(ofText));
  const ofFrame = OF_FRAME.exec(message)?.[1];
  const called = /\.(\w+) is not a function/.exec(message)?.[1];
  const isUndefined = /^Cannot read properties of undefined/.test(message);
  const inLine = [...line.matchAll(/\.(\w+)/g)].map(([, name = ""]) => name).find((name) => FRAME_HABITS.has(name));
  const name = ofFrame ?? called ?? (isUndefined ? inLine : undefined) ?? "";
  const hint = insteadOf(name, FRAME_HABITS.get(name) ?? TEXT_HABITS.get(name));
  if (hint !== undefined || ofFrame === undefined) return hint;
  return `A column is frame.getColumn("${ofFrame}"), and frame.columns has the names of all.`;
}

/** The code for a name, with the imports that it needs. */
function insteadOf(name: string, code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const called = [...code.matchAll(/(?<![.\w"])(\w+)(?=[.(])/g)].flatMap(([, called = ""]) => importOf(called) ?? []);
  const end = code.endsWith(";") ? "" : ".";
  return [`Instead of ${name}: ${code}${end}`, ...new Set(called)].join(" ");
}

const ENTRIES = ["", "/notebook", "/text", "/coding", "/corpus", "/members"].map((entry) => `archive-frames${entry}`);

/** The import of a name that this package exports. */
function importOf(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  const entry = ENTRIES.find((each) => name in (require(each) as object));
  return entry && `import { ${name} } from "${entry}";`;
}

type Table = ReadonlyMap<string, string>;

/** A table by name of one that has several names for the same code. */
function byName(table: Readonly<Record<string, string>>): Table {
  return new Map(
    Object.entries(table).flatMap(([names, code]) => names.split(" ").map((name) => [name, code] as const)),
  );
}

/**
 * What users of pandas, of polars in Python and of R type first, and the TypeScript for it: members and functions of frames. `frame` is
 * their frame. Errors, completion and the page "From pandas, polars and R" read these tables; a test runs every row.
 */
export const FRAME_HABITS: Table = byName({
  value_counts: 'valueCounts(frame, "person")',
  "to_csv write_csv toCSV toCsv save": 'await saveFrame(frame, "rows.csv")',
  "to_excel write_excel": 'await saveFrame(frame, "rows.xlsx")',
  "to_parquet write_parquet": 'await saveFrame(frame, "rows.parquet")',
  "to_json write_json toJSON toJson": 'await saveFrame(frame, "rows.json")',
  "to_dict to_dicts iterrows itertuples iter_rows to_pandas toArray": "toRecords(frame)",
  apply: "toRecords(frame).map((row) => row.person)",
  forEach: "toRecords(frame).forEach((row) => console.log(row))",
  "to_list tolist": 'valuesOf(frame, "person")',
  to_numpy: 'valuesOf(frame, "length")',
  "sort_values sort_index orderBy order_by arrange": 'frame.sort("length", true)',
  "nlargest top_k": 'frame.sort("length", true).head(10)',
  nsmallest: 'frame.sort("length").head(10)',
  plot: 'await chart(frame, { mark: "bar", x: "person", y: "length" })',
  hist: 'await chart(frame, { mark: "bar", x: "person", y: "count()" })',
  info: "frame.schema",
  "len size nrow": "frame.height",
  iloc: "frame.slice(0, 5)",
  collect: "frame",
  "loc query": "frame.filter(where({ length: { gt: 60 } }))",
  "isna isnull null_count": "frame.nullCount()",
  "dropna drop_nulls": 'frame.dropNulls("text")',
  "fillna fill_null": 'frame.withColumn(pl.col("text").fillNull(pl.lit("")))',
  "merge left_join": 'frame.join(other, { on: "person" })',
  "append concat union bind_rows": 'pl.concat([frame, other], { how: "diagonal" })',
  "drop_duplicates distinct": 'frame.unique("person")',
  "nunique n_unique": 'frame.getColumn("person").nUnique()',
  "groupby group_by": 'frame.groupBy("person").agg(pl.col("length").sum())',
  "agg summarise summarize": 'frame.select(pl.col("length").mean())',
  "assign with_columns mutate": 'frame.withColumn(pl.col("length").div(60).alias("minutes"))',
  "astype cast": 'frame.withColumn(pl.col("length").cast(pl.Float64))',
  "pivot_table pivot_wider": 'frame.pivot("length", { index: "person", on: "party", aggregateFunc: "sum" })',
  melt: 'frame.unpivot(["person"], ["length"])',
  "reset_index with_row_index": "frame.withRowIndex()",
  resample: 'frame.withColumns(perPeriod("begintime", "month"))',
  "str contains": "frame.filter(where({ text: /carbon/i }))",
  dt: 'frame.withColumn(pl.col("begintime").dt.year().alias("year"))',
  read_csv: 'await readFrame("rows.csv")',
  read_parquet: 'await readFrame("rows.parquet")',
  read_json: 'await readFrame("rows.json")',
});

/** The same for members of strings and lists. */
export const TEXT_HABITS: Table = byName({
  upper: "text.toUpperCase()",
  lower: "text.toLowerCase()",
  strip: "text.trim()",
  startswith: 'text.startsWith("a")',
  endswith: 'text.endsWith("a")',
  find: 'text.indexOf("a")',
  append: 'list.push("a")',
});

/** The same for functions and values. */
export const NAME_HABITS: Table = byName({
  print: "console.log(frame)",
  len: "frame.height",
  pd: "pl.DataFrame({ person: list })",
  df: 'const frame = await archive.mentions("climate")',
  "True TRUE": "true",
  "False FALSE": "false",
  "None NULL NA": "null",
  type: "frame.schema",
  np: 'frame.getColumn("length").mean()',
  "plt sns ggplot": 'await chart(frame, { mark: "bar", x: "person" })',
  save: 'await saveFrame(frame, "rows.csv")',
  sum: 'frame.getColumn("length").sum()',
  sorted: "list.toSorted()",
  range: "Array.from({ length: 10 }, (_, at) => at)",
  "dir help": "archive /* then a dot and Tab, or Shift+Tab */",
});

/** Habits by the message of the error: what is typed, and the TypeScript for it. */
export const MESSAGE_HABITS: Readonly<Record<string, RegExp>> = {
  'archive.mentions("climate").head() → (await archive.mentions("climate")).head()': /does not exist on type 'Promise</,
  'pl.col("person") == "Ada" → frame.filter(pl.col("person").eq(pl.lit("Ada")))':
    /'Expr' and '\w+' have no overlap|cannot be applied to types 'Expr'/,
  '.then("long") → pl.when(pl.col("length").gt(60)).then(pl.lit("long")).otherwise(pl.lit("short"))':
    /type 'string' is not assignable to parameter of type 'Expr'/,
  'frame.select(["person", "text"]) → frame.select("person", "text")':
    /'string\[\]' is not assignable to parameter of type '(?:ExprOrString|string \| number \| symbol)'/,
  'frame.sort("party", "person") → frame.sort(["party", "person"])':
    /^Argument of type 'string' is not assignable to parameter of type 'boolean'/,
  'frame.sort("length", { descending: true }) → frame.sort("length", true)':
    /'\{ \w+: boolean; \}' is not assignable|'(?:descending|reverse|ascending|by)' does not exist in type/,
  'frame.groupBy(perPeriod(…)) → frame.withColumns(perPeriod("begintime", "month")).groupBy("month").agg(pl.len())':
    /^Argument of type 'Expr' is not assignable to parameter of type 'ColumnSelection'/,
  'frame.groupBy("person").size() → frame.groupBy("person").agg(pl.len())':
    /^Property '(?:count|size)' does not exist on type '\w*GroupBy/,
  'frame[frame["length"] > 60] → frame.filter(where({ length: { gt: 60 } }))':
    /^Type '[\s\S]{1,200}' cannot be used as an index type|^Unknown JS variables cannot be represented/,
  'frame.join(other, "person") → frame.join(other, { on: "person" })':
    /^Given napi value is not an array|string' is not assignable to parameter of type '\w*JoinOptions/,
  'archive.search("climate") → await archive.mentions("climate")':
    /^Property '\w+' does not exist on type 'ArchiveClient/,
  'import pl from "polars" → import { openArchive, pl } from "archive-frames";':
    /^Cannot find module '(?:pandas|numpy|polars|matplotlib|seaborn)\b/,
  'toRecords(frame)[0].begintime.getFullYear() → toRecords<FrameRow<"mentions">>(frame)':
    /does not exist on type '(?:unknown|string \| number \| bigint \| boolean)'/,
  'pl.col("begintime").gt(pl.lit("2022-08-16")) → frame.filter(where({ begintime: { from: "2022-08-16" } }))':
    /comparison between series .{0,300}Datetime\('.s', 'UTC'\)|^cannot compare 'date\/datetime\/time' to a string/s,
};

/** The same by the line, for errors of syntax. */
export const LINE_HABITS: Readonly<Record<string, RegExp>> = {
  'import pandas as pd → import { openArchive, pl } from "archive-frames";':
    /^\s*(?:import [\w.]+(?: as \w+)?\s*$|from [\w.]+ import |library\()/,
  "archive.mentions? → archive.mentions // then Shift+Tab": /^\s*\?\w|\w\?+\s*$/,
  "lambda x: x / 2 → (value: number) => value / 2": /(?:^|[(,=])\s*lambda\b/,
  "[x.upper() for x in list] → list.map((each) => each.toUpperCase())": /\[.{1,200} for \w+ in /,
  "frame[0:5] → frame.slice(0, 5)": /\[[-\d ]{0,20}:[-\d ]{0,20}\]/,
  'if frame.height > 3: → if (frame.height > 3) console.log("many")':
    /^\s*(?:if|elif|else|while|try|except|with|class)\b.{0,200}:\s*(?:\w.{0,200})?$/,
  "def half(x): → const half = (value: number) => value / 2;": /^\s*def \w+\(/,
  "for row in frame: → for (const row of toRecords(frame)) console.log(row.person);": /^\s*for \w+ in /,
  "# a comment → // a comment": /^\s*#/,
  'f"{frame.height} rows" → `${frame.height} rows`': /(?<![\w$])f["']/,
  "pip install → // In a terminal: npm install": /^\s*(?:[!%]\s*)?(?:pip|conda|npm|npx) \w/,
  "frame |> head() → frame.head()": /\|>|%>%/,
  "x <- 5 → const x = 5;": /^\s*[\w.]+\s*<-/,
  'archive.mentions("climate", maxItems=100) → await archive.mentions("climate", { maxItems: 100 })':
    /archive\.\w+\(.{0,200}\w\s*=[^=>]/,
  'frame.join(other, on="person") → frame.join(other, { on: "person" })': /\.(?:join|merge)\(.{0,200}\w\s*=[^=>]/,
};

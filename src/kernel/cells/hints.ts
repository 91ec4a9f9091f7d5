import { createRequire } from "node:module";
import type { Diagnostic } from "../converter/converter.js";

type Table = ReadonlyMap<string, string>;

/** A table by name of one that has several names for the same code. */
function byName(table: Readonly<Record<string, string>>): Table {
  return new Map(
    Object.entries(table).flatMap(([names, code]) => names.split(" ").map((name) => [name, code] as const)),
  );
}

/**
 * What users of pandas, and of polars in Python, type first, and the TypeScript for it: members and functions of frames. `frame` is
 * their frame. Run-time errors, type errors and completion all read this table.
 */
export const PYTHON_MEMBERS: Table = byName({
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
  "sort_values orderBy order_by": 'frame.sort("length", true)',
  sort_index: 'frame.sort("length")',
  "nlargest top_k": 'frame.sort("length", true).head(10)',
  nsmallest: 'frame.sort("length").head(10)',
  plot: 'await chart(frame, { mark: "bar", x: "person", y: "length" })',
  hist: 'await chart(frame, { mark: "bar", x: "person", y: "count()" })',
  info: "frame.schema",
  "len size": "frame.height",
  empty: "frame.isEmpty()",
  iloc: "frame.slice(0, 5)",
  collect: "frame",
  "loc query": "frame.filter(where({ length: { gt: 60 } }))",
  "isna isnull null_count": "frame.nullCount()",
  "dropna drop_nulls": 'frame.dropNulls("text")',
  "fillna fill_null": 'frame.withColumn(pl.col("text").fillNull(pl.lit("")))',
  merge: 'frame.join(other, { on: "person" })',
  "append concat union": 'pl.concat([frame, other], { how: "diagonal" })',
  drop_duplicates: 'frame.unique("person")',
  duplicated: "frame.isDuplicated()",
  "nunique n_unique": 'frame.getColumn("person").nUnique()',
  "groupby group_by": 'frame.groupBy("person").agg(pl.col("length").sum())',
  agg: 'frame.select(pl.col("length").mean())',
  "assign with_columns mutate": 'frame.withColumn(pl.col("length").div(60).alias("minutes"))',
  "astype cast": 'frame.withColumn(pl.col("length").cast(pl.Float64))',
  melt: 'frame.unpivot(["person"], ["length"])',
  "reset_index with_row_index": "frame.withRowIndex()",
  resample: 'frame.withColumns(perPeriod("begintime", "month"))',
  "str contains": "frame.filter(where({ text: /carbon/i }))",
  dt: 'frame.withColumn(pl.col("begintime").dt.year().alias("year"))',
  get_column: 'frame.getColumn("person")',
  to_string: "frame.toString()",
  T: "frame.transpose()",
  read_csv: 'await readFrame("rows.csv")',
  read_parquet: 'await readFrame("rows.parquet")',
  read_json: 'await readFrame("rows.json")',
});

/** The same for members of strings and lists. */
const PYTHON_TEXT_MEMBERS: Table = byName({
  upper: "text.toUpperCase()",
  lower: "text.toLowerCase()",
  strip: "text.trim()",
  startswith: 'text.startsWith("a")',
  endswith: 'text.endsWith("a")',
  find: 'text.indexOf("a")',
  append: 'list.push("a")',
  extend: 'list.push("a", "b")',
  index: 'list.indexOf("a")',
});

/** The same for functions and values. */
const PYTHON_NAMES: Table = byName({
  print: "console.log(…). The last expression of a cell is shown by itself.",
  len: "frame.height for the rows of a frame, list.length for a list.",
  pd: 'pl, which is polars: import { pl } from "archive-frames";',
  df: "the name of your frame, declared with const: const frame = await archive.mentions(…);",
  True: "true.",
  False: "false.",
  None: "null.",
  type: "typeof value; frame.schema has the types of the columns.",
  np: 'Math, and the methods of a column: frame.getColumn("length").mean().',
  "plt sns": 'await chart(frame, { mark: "bar", x: "person" }), or await chart(frame, mentionsOverTime(frame)).',
  save: 'await saveFrame(frame, "rows.csv").',
  sum: 'frame.getColumn("length").sum().',
  enumerate: "list.entries().",
  isinstance: "typeof value, or value instanceof Date.",
  list: "Array.from(…), or [...values].",
  dict: "an object: { a: 1 }.",
  and: "&&.",
  or: "||.",
  not: "!.",
  sorted: "frame.sort(…), or list.toSorted().",
  range: "Array.from({ length: 10 }, (_, at) => at).",
  str: "String(…).",
  int: "Math.trunc(Number(…)).",
  float: "Number(…).",
  dir: "the name and a dot, then Tab. A tooltip, Shift+Tab, has its documentation.",
  help: "the name, then Shift+Tab: the tooltip has its documentation.",
});

/** What to type instead, with a pattern of the messages or lines that call for it. */
type Hints = Readonly<Record<string, RegExp>>;

/** Frequent mistakes of Python users, by message. */
const BY_MESSAGE: Hints = {
  "Is an `await` missing?": /does not exist on type 'Promise</,
  'Compare with methods: pl.col("party").eq(pl.lit("D")), .gt(60), .and(…).':
    /types 'Expr' and '\w+' have no overlap|Operator '[<>]=?' cannot be applied to types 'Expr'/,
  'A text value is pl.lit("text"), a column is pl.col("name").':
    /type 'string' is not assignable to parameter of type 'Expr'/,
  'Names are arguments of their own: select("person", "text"), or select(...names).':
    /'string\[\]' is not assignable to parameter of type '(?:ExprOrString|string \| number \| symbol)'/,
  'Several columns are one list: frame.sort(["party", "person"]).':
    /^Argument of type 'string' is not assignable to parameter of type 'boolean'/,
  'The largest first: frame.sort("length", true), or frame.sort({ by: "length", descending: true }).':
    /'\{ (?:descending|reverse|ascending): boolean; \}' is not assignable|'(?:descending|reverse|ascending|by)' does not exist in type/,
  'Groups are columns: frame.withColumns(perPeriod("begintime", "month")).groupBy("month").':
    /^Argument of type 'Expr' is not assignable to parameter of type 'ColumnSelection'/,
  "An earlier cell declared it with const: declare it with let, or again with const.":
    /^Cannot assign to '\w+' because it is a constant/,
  "A cell that declares a name again cannot read its old value: declare it with let once, and assign: frame = frame.head().":
    /^Cannot access '\w+' before initialization/,
  "The number of rows is frame.height.": /^Property '(?:length|nrow)' does not exist on type '\w*Frame/,
  'Rows by value: valueCounts(frame, "person"). Other statistics: groupBy("person").agg(pl.col("length").sum()).':
    /^Property '(?:count|size)' does not exist on type '\w*GroupBy/,
  'Rows are chosen by filter: frame.filter(where({ length: { gt: 60 } })), or frame.filter(pl.col("length").gt(60)).':
    /^Type '(?:boolean|(?:Series|Expr)\b.{0,200})' cannot be used as an index type/,
  'Several columns: frame.select("person", "text"). One: frame.getColumn("person").':
    /^Type 'string\[\]' cannot be used as an index type/,
  "Rows as objects: toRecords(frame).map((row) => row.person).": /^Property '\w+' does not exist on type 'any\[\]'/,
  "Conditions are made of columns, not of functions: frame.filter(where({ length: { gt: 60 } })).":
    /^Unknown JS variables cannot be represented/,
  'Options are an object: frame.join(other, { on: "person" }).':
    /^Given napi value is not an array|string' is not assignable to parameter of type '\w*JoinOptions/,
  'Searches are await archive.mentions("climate"), bills, people and programsSearch. Type archive. and Tab for all methods.':
    /^Property '\w+' does not exist on type 'ArchiveClient[^']*'\.$/,
  'Frames are those of polars, in TypeScript: import { pl } from "archive-frames";':
    /^Cannot find module '(?:pandas|numpy|polars|matplotlib|seaborn)\b/,
  'Name the types of the columns: import { toRecords, type FrameRow } from "archive-frames"; toRecords<FrameRow<"mentions">>(frame).':
    /does not exist on type 'string \| number \| bigint \| boolean'/,
  "What takes time to close is closed by: await using archive = await openArchive();":
    /initializer of a 'using' declaration must/,
  "The names of the columns are in frame.columns. A plain string is a column name: a value is pl.lit(value).":
    /unable to find column|^not found: "/,
  'Timestamps are in microseconds and UTC: filter(where({ begintime: { from: "2022-08-16" } })), or pl.lit(date).cast(pl.Datetime("us", "UTC")).':
    /comparison between series .{0,300}Datetime\('.s', 'UTC'\)|^cannot compare 'date\/datetime\/time' to a string/s,
};

/** Lines of Python and of IPython. */
const BY_LINE: Hints = {
  'Imports in TypeScript: import { openArchive, pl } from "archive-frames";':
    /^\s*(?:import [\w.]+(?: as \w+)?\s*$|from [\w.]+ import )/,
  [PYTHON_NAMES.get("help") as string]: /^\s*\?\w|\w\?+\s*$/,
  "Functions in TypeScript: (value: number) => value / 2": /(?:^|[(,=])\s*lambda\b/,
  "Lists in TypeScript: list.map((each) => each.length), or list.filter((each) => each.length > 2)":
    /\[.{1,200} for \w+ in /,
  "Rows by position: frame.slice(0, 5). Elements of a list: list.slice(0, 5).": /\[[-\d ]{0,20}:[-\d ]{0,20}\]/,
  "Blocks in TypeScript have parentheses and braces: if (frame.height > 3) { … } else { … }":
    /^\s*(?:if|elif|else|while|try|except|with|class)\b.{0,200}:\s*(?:\w.{0,200})?$/,
  "Functions in TypeScript: const half = (value: number) => value / 2;": /^\s*def \w+\(/,
  "Loops in TypeScript: for (const row of toRecords(frame)) console.log(row.person);": /^\s*for \w+ in /,
  "Comments in TypeScript: // text": /^\s*#/,
  "Texts with values in TypeScript: `${frame.height} rows`": /(?<![\w$])f["']/,
  "Cells are TypeScript. Programs run in a terminal, and the clock is console.time().":
    /^\s*(?:[!%]\s*|(?:pip|conda|npm|npx) )\w/,
  'Options are an object: frame.join(other, { on: "person" }).': /[(,]\s*\w+\s*=[^=>]/,
};

/** Only the beginning of a longer message is searched. */
const MAX_MESSAGE = 5000;

const MAX_HINTS = 3;

/** What to type instead, for up to three errors: their messages, and the lines of the cell that caused them. */
export function hintsFor(faults: ReadonlyArray<Pick<Diagnostic, "message" | "source">>): string[] {
  // A type tells apart what frames and texts both have in Python.
  const isTyped = faults.some(({ message }) => message.startsWith("Property '"));
  const found = faults.slice(0, 2 * MAX_HINTS).map(({ message, source: line = "" }) => {
    const text = message.slice(0, MAX_MESSAGE);
    const isSyntax = /^Cannot find name|expected\.|^Unexpected keyword|^Invalid character|^Circular/.test(text);
    return (
      (isSyntax ? firstOf(BY_LINE, line) : undefined) ??
      nameHint(/^Cannot find name '([\w$]+)'/.exec(text)?.[1], line) ??
      memberHint(text, line, isTyped) ??
      firstOf(BY_MESSAGE, text)
    );
  });
  return [...new Set(found.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
}

function firstOf(hints: Hints, text: string): string | undefined {
  return Object.entries(hints).find(([, pattern]) => pattern.test(text))?.[0];
}

/** The hint for an undeclared name: where to import it from, how to declare it, or what it is in TypeScript. */
function nameHint(name: string | undefined, line: string): string | undefined {
  if (name === undefined) return undefined;
  const found = importOf(name);
  if (found !== undefined) return `It needs an import: ${found}`;
  const typed = line.trim();
  if (typed.startsWith(name) && /^\s*=[^=]/.test(typed.slice(name.length)))
    return `Declare it: const ${typed.slice(0, 80)}`;
  const own = PYTHON_NAMES.get(name);
  return own && `In TypeScript it is ${own}`;
}

/** A missing member of a frame, or of what belongs to one, in a type error. */
const OF_FRAME =
  /^Property '(\w+)' does not exist on type '(?:\w*DataFrame|PolarsFrame|Series|GroupBy|ArchiveScan|typeof pl\b)/;

/** The hint for a missing member, by its name in Python: of a type, of a value, or in the line whose value is undefined. */
function memberHint(message: string, line: string, isTyped: boolean): string | undefined {
  const ofText = /^Property '(\w+)' does not exist on type '(?:string|\w+\[\])'/.exec(message)?.[1];
  if (ofText !== undefined) return insteadOf(PYTHON_TEXT_MEMBERS, ofText);
  const ofFrame = OF_FRAME.exec(message)?.[1];
  const called = /\.(\w+) is not a function/.exec(message)?.[1];
  if (isTyped && PYTHON_TEXT_MEMBERS.has(called ?? "")) return undefined;
  const inLine = /^Cannot read properties of undefined/.test(message)
    ? [...line.matchAll(/\.(\w+)/g)].map(([, name = ""]) => name).find((name) => PYTHON_MEMBERS.has(name))
    : undefined;
  const found = insteadOf(PYTHON_MEMBERS, ofFrame ?? called ?? inLine) ?? insteadOf(PYTHON_TEXT_MEMBERS, called);
  if (found !== undefined || ofFrame === undefined || firstOf(BY_MESSAGE, message) !== undefined) return found;
  return `A column is frame.getColumn("${ofFrame}"), and frame.columns has the names of all.`;
}

/** The code for a name in a table, with the imports that it needs. */
function insteadOf(table: Table, name: string | undefined): string | undefined {
  const code = table.get(name ?? "");
  if (code === undefined) return undefined;
  const called = [...code.matchAll(/(?<![.\w"])(\w+)(?=[.(])/g)].flatMap(([, called = ""]) => importOf(called) ?? []);
  return [`Instead of ${name}: ${code}.`, ...new Set(called)].join(" ");
}

const ENTRIES = ["", "/notebook", "/text", "/coding", "/corpus", "/members"].map((entry) => `archive-frames${entry}`);

/** The import of a name that this package exports. */
function importOf(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  const entry = ENTRIES.find((each) => {
    try {
      return name in (require(each) as object);
    } catch {
      return false;
    }
  });
  return entry && `import { ${name} } from "${entry}";`;
}

type Table = Readonly<Record<string, string>>;

/** A table by name of one that has several names for the same code. */
function byName(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).flatMap(([names, code]) => names.split(" ").map((name) => [name, code])),
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
export const PYTHON_TEXT_MEMBERS: Table = byName({
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
export const PYTHON_NAMES: Table = byName({
  print: "console.log(…). The last expression of a cell is shown by itself.",
  len: "frame.height for the rows of a frame, list.length for a list.",
  pd: 'pl, which is polars: import { pl } from "archive-frames";',
  df: "the name of your frame, declared with const: const frame = await archive.mentions(…);",
  True: "true.",
  False: "false.",
  None: "null.",
  type: "typeof value; frame.schema has the types of the columns.",
  np: 'Math, and the methods of a column: frame.getColumn("length").mean().',
  "plt sns": 'await chart(frame, { mark: "bar", x: "person" }), or await mentionsOverTime(frame).',
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

import { parseExact, stringifyExact } from "./exactJson.js";
import { numberedColumns, selectColumns, TIMESTAMP_FORMAT } from "./frameColumns.js";
import { dt, type PolarsFrame, pl } from "./polars.js";
import { type ColumnType, cellText, columnType, itemFlags, parseTimestamp, type StoredType } from "./typeFlags.js";

export interface Conversion {
  readonly name: string;
  readonly stored: StoredType;
  readonly type: ColumnType;
  /** The type flags of its values, which determine the items of lists. */
  readonly flags: number;
}

/** Converts columns of a frame. Columns that need the same expression share it: there may be thousands. */
export function convertColumns(frame: PolarsFrame, conversions: readonly Conversion[]): PolarsFrame {
  if (conversions.length === 0) return frame;
  const names = frame.columns;
  const numbered = numberedColumns(frame);
  const columnOf = new Map(names.map((name, at) => [name, `c${at}`]));
  const spelled = new Map<string, (value: unknown) => string | undefined>();
  const groups = new Map<string, { readonly convert: (columns: pl.Expr) => pl.Expr; readonly columns: string[] }>();
  for (const conversion of conversions) {
    const column = columnOf.get(conversion.name) as string;
    const spell = spelling(conversion);
    if (spell !== undefined) spelled.set(column, spell);
    const { key, convert } = expression(conversion);
    if (convert === undefined) continue;
    const group = groups.get(key) ?? { convert, columns: [] };
    groups.set(key, group);
    group.columns.push(column);
  }
  const exprs = [...groups].map(([key, { convert, columns }]) => exprOf(key, columns, convert));
  let result = spelled.size === 0 ? numbered : withSpelled(numbered, spelled);
  if (exprs.length > 0) result = result.withColumns(...exprs);
  result.columns = names;
  return result;
}

function withSpelled(
  numbered: PolarsFrame,
  spelled: ReadonlyMap<string, (value: unknown) => string | undefined>,
): PolarsFrame {
  const [names, spell] = [[...spelled.keys()], [...spelled.values()]];
  const lines = (selectColumns(numbered, names).rows() as unknown[][]).map((row) => {
    const cells = row.map((value, at) =>
      value === null ? "" : `"c${at}":${JSON.stringify(spell[at]?.(value) ?? null)}`,
    );
    return `{${cells.filter((cell) => cell !== "").join(",")}}\n`;
  });
  const columns = names.map((name) => ({ name, type: "string" as const }));
  const others = numbered.columns.filter((name) => !spelled.has(name));
  const parts = [selectColumns(numbered, others), frameOfLines(columns, lines)];
  return selectColumns(pl.concat(parts, { how: "horizontal" }), numbered.columns);
}

const exprs = new Map<string, pl.Expr>();
const MAX_EXPRS = 100;

/** An expression of several columns. It takes a millisecond to create one, so they are kept. */
function exprOf(key: string, columns: readonly string[], make: (columns: pl.Expr) => pl.Expr): pl.Expr {
  const id = `${key} ${columns.join()}`;
  const known = exprs.get(id);
  if (known !== undefined) return known;
  const expr = make(pl.col([...columns]));
  if (exprs.size < MAX_EXPRS && columns.length < 100) exprs.set(id, expr);
  return expr;
}

/** How the values of a column are spelled before polars converts them; undefined if they stay as they are. */
function spelling({ stored, type, flags }: Conversion): ((value: unknown) => string | undefined) | undefined {
  // Numbers are formatted as JavaScript does; polars formats some differently.
  if (stored === "float" && type === "string") return cellText;
  if (stored !== "string") return undefined;
  if (type === "datetime") return (text) => parseTimestamp(text as string);
  if (type !== "list" || itemType(flags) !== "string") return undefined;
  return (text) =>
    stringifyExact((parseExact(text as string) as unknown[]).map((item) => (item === null ? null : cellText(item))));
}

/** The type of list items. Lists of anything but numbers and booleans become lists of text. */
function itemType(flags: number): keyof typeof DTYPES {
  const items = columnType(itemFlags(flags));
  return items === "list" || items === "datetime" ? "string" : items;
}

const DTYPES = { int: pl.Int64, float: pl.Float64, bool: pl.Bool, string: pl.Utf8 } as const;

function expression({ stored, type, flags }: Conversion): {
  readonly key: string;
  readonly convert?: (columns: pl.Expr) => pl.Expr;
} {
  if (type === "list") {
    const items = itemType(flags);
    return { key: `list ${items}`, convert: (columns) => columns.str.jsonDecode(pl.List(DTYPES[items])) };
  }
  if (type === "datetime") return { key: type, convert: toTimestamps };
  if (stored === "datetime") return { key: "text", convert: (columns) => dt(columns).strftime(TIMESTAMP_FORMAT) };
  if (stored === "float" && type === "string") return { key: "" };
  return { key: type, convert: (columns) => columns.cast(DTYPES[type]) };
}

function toTimestamps(columns: pl.Expr): pl.Expr {
  return columns.str.strptime(pl.Datetime("ms"), "%+");
}

/** A sample value of each type. A line of samples before the rows fixes the type that polars infers for every column. */
const SAMPLES = { string: "", datetime: "", int: 0, float: 0.5, bool: true } as const;

export interface NewColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** The type flags of its values, which determine the items of lists. */
  readonly flags?: number;
}

export function frameOfLines(columns: readonly NewColumn[], lines: readonly string[]): PolarsFrame {
  if (columns.length === 0) return pl.DataFrame({});
  const samples = columns.map(({ type, flags = 0 }) => (type === "list" ? [SAMPLES[itemType(flags)]] : SAMPLES[type]));
  const template = `{${samples.map((sample, at) => `"c${at}":${JSON.stringify(sample)}`).join(",")}}\n`;
  const read = pl.readJSON(Buffer.from(template + lines.join("")), { format: "lines", inferSchemaLength: 1 });
  let frame = read.slice(1, read.height - 1);
  // polars may reorder more than 32 columns.
  if (columns.length > 32)
    frame = selectColumns(
      frame,
      samples.map((_sample, at) => `c${at}`),
    );
  const timestamps = columns.flatMap(({ type }, at) => (type === "datetime" ? [`c${at}`] : []));
  if (timestamps.length > 0) frame = frame.withColumns(exprOf("datetime", timestamps, toTimestamps));
  frame.columns = columns.map(({ name }) => name);
  return frame;
}

const streams = new Map<string, Buffer>();
const MAX_STREAMS = 20;

/** A frame without rows, as an Arrow IPC stream. */
export function emptyStream(columns: readonly NewColumn[]): Buffer {
  const key = JSON.stringify(columns);
  const known = streams.get(key);
  if (known !== undefined) return known;
  const stream = frameOfLines(columns, []).writeIPCStream();
  if (streams.size < MAX_STREAMS && columns.length < 100) streams.set(key, stream);
  return stream;
}

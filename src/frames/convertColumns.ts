import { parseExact, stringifyExact } from "./exactJson.js";
import { numberedColumns, selectColumns, TIMESTAMP_FORMAT } from "./frameColumns.js";
import { dt, type PolarsFrame, pl } from "./polars.js";
import { type ColumnType, cellText, columnType, itemFlags, parseTimestamp, type StoredType } from "./typeFlags.js";

/** A column to convert to another type. */
export interface Conversion {
  readonly name: string;
  readonly stored: StoredType;
  /** The type flags of its values, which determine the new type. */
  readonly flags: number;
}

const DTYPES = { int: pl.Int64, float: pl.Float64, bool: pl.Bool, string: pl.Utf8 } as const;

/**
 * Converts several columns of a frame in one pass: there may be thousands, and the cost of a pass grows with the width of the
 * frame.
 */
export function convertColumns(frame: PolarsFrame, conversions: readonly Conversion[]): PolarsFrame {
  if (conversions.length === 0) return frame;
  const names = frame.columns;
  const numbered = new Map(names.map((name, at) => [name, `c${at}`]));
  const plain = numberedColumns(frame);
  const casts = { int: [], float: [], bool: [], string: [] } satisfies Record<keyof typeof DTYPES, string[]>;
  const timestamps: string[] = [];
  const rewrites: Rewrite[] = [];
  for (const { name, stored, flags } of conversions) {
    const column = numbered.get(name) as string;
    const type = columnType(flags);
    const rewrite = rewriteOf(column, stored, flags);
    if (rewrite !== undefined) rewrites.push(rewrite);
    else if (stored === "datetime") timestamps.push(column);
    else (casts[type as keyof typeof DTYPES] as string[]).push(column);
  }
  const exprs = Object.entries(casts)
    .filter(([, columns]) => columns.length > 0)
    .map(([type, columns]) => pl.col(columns).cast(DTYPES[type as keyof typeof DTYPES]));
  if (timestamps.length > 0) exprs.push(dt(pl.col(timestamps)).strftime(TIMESTAMP_FORMAT));
  const cast = exprs.length === 0 ? plain : plain.withColumns(...exprs);
  const result = rewrites.length === 0 ? cast : rewritten(cast, rewrites);
  result.columns = names;
  return result;
}

/** A column whose conversion needs JavaScript values. */
interface Rewrite {
  readonly column: string;
  readonly type: "string" | "list" | "datetime";
  /** The value from which polars infers the type. */
  readonly sample: unknown;
  /** Writes a non-null value as JSON. */
  readonly json: (value: unknown) => string;
}

function rewriteOf(column: string, stored: StoredType, flags: number): Rewrite | undefined {
  const type = columnType(flags);
  if (stored === "string" && type === "datetime") {
    return { column, type, sample: "", json: (text) => JSON.stringify(parseTimestamp(text as string) ?? null) };
  }
  if (stored === "string" && type === "list") {
    const items = columnType(itemFlags(flags));
    return { column, type, sample: [itemSample(items)], json: (text) => listJson(text as string, isText(items)) };
  }
  // Numbers are formatted as JavaScript does; polars formats some differently.
  if (stored === "float" && type === "string") {
    return { column, type, sample: "", json: (value) => JSON.stringify(cellText(value)) };
  }
  return undefined;
}

/** Lists of anything but numbers and booleans become lists of text. */
function isText(items: ColumnType): boolean {
  return items === "string" || items === "list" || items === "datetime";
}

function itemSample(items: ColumnType): unknown {
  return SAMPLES[isText(items) ? "string" : (items as "int" | "float" | "bool")];
}

function listJson(text: string, asText: boolean): string {
  const list = parseExact(text) as unknown[];
  return stringifyExact(asText ? list.map((item) => (item === null ? null : cellText(item))) : list);
}

function rewritten(frame: PolarsFrame, rewrites: readonly Rewrite[]): PolarsFrame {
  const columns = rewrites.map(({ column }) => column);
  const rows = selectColumns(frame, columns).rows() as unknown[][];
  const lines = rows.map((row) => {
    const cells: string[] = [];
    row.forEach((value, at) => {
      if (value !== null) cells.push(`"${columns[at]}":${(rewrites[at] as Rewrite).json(value)}`);
    });
    return `{${cells.join(",")}}\n`;
  });
  const samples = rewrites.map(({ sample }) => sample);
  const read = readLines(Buffer.from(templateLine(columns, samples) + lines.join("")), columns);
  const timestamps = rewrites.filter(({ type }) => type === "datetime").map(({ column }) => column);
  return joinColumns([frame, withTimestamps(read, timestamps)], frame.columns);
}

/** Parses the output of {@link parseTimestamp} as Datetime (UTC). The column names must not be patterns. */
function withTimestamps(frame: PolarsFrame, columns: readonly string[]): PolarsFrame {
  if (columns.length === 0) return frame;
  return frame.withColumns(pl.col([...columns]).str.strptime(pl.Datetime("ms"), "%+"));
}

/** A frame of null columns, with the types that follow from their type flags. */
export function nullColumns(flags: ReadonlyArray<readonly [name: string, flags: number]>, height: number): PolarsFrame {
  const names = flags.map((_column, at) => `c${at}`);
  const types = flags.map(([, all]) => columnType(all));
  const samples = types.map((type, at) =>
    type === "list" ? [itemSample(columnType(itemFlags((flags[at] as readonly [string, number])[1])))] : SAMPLES[type],
  );
  const read = readLines(Buffer.from(templateLine(names, samples) + "{}\n".repeat(height)), names);
  const frame = withTimestamps(
    read,
    names.filter((_name, at) => types[at] === "datetime"),
  );
  frame.columns = flags.map(([name]) => name);
  return frame;
}

/** Joins frames side by side and selects the columns `names`. If two frames have the same column, the later one wins. */
export function joinColumns(frames: readonly PolarsFrame[], names: readonly string[]): PolarsFrame {
  const later = new Set<string>();
  const parts = frames.toReversed().map((frame) => {
    const own = frame.columns.filter((name) => !later.has(name));
    for (const name of own) later.add(name);
    return selectColumns(frame, own);
  });
  return selectColumns(pl.concat(parts, { how: "horizontal" }), names);
}

/** A sample value of each type. A line of samples before the rows fixes the type that polars infers for every column. */
const SAMPLES = { string: "", datetime: "", int: 0, float: 0.5, bool: true } as const;

/** The line from which polars infers the columns and types of the lines after it. */
function templateLine(names: readonly string[], samples: readonly unknown[]): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(samples[at])}`).join(",")}}\n`;
}

/**
 * Parses NDJSON whose first line is a template line into a frame of the lines after it.
 *
 * @param names the columns of the template, in order; polars may reorder more than 32 columns
 * @throws Error if a line does not fit the template or is not JSON
 */
function readLines(lines: Buffer, names: readonly string[]): PolarsFrame {
  const frame = pl.readJSON(lines, { format: "lines", inferSchemaLength: 1 });
  const rows = frame.slice(1, frame.height - 1);
  return names.length > 32 ? selectColumns(rows, names) : rows;
}

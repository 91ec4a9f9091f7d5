import { cellText, instant } from "./cells.js";
import type { Chunk, Stored } from "./chunk.js";
import { parseExact, stringifyExact } from "./exactJson.js";
import { type ColumnType, columnType, itemKinds } from "./kinds.js";
import { mapColumn, mapText, momentText } from "./mapColumn.js";
import { readLines, SAMPLES, templateLine } from "./ndjson.js";
import { type PolarsFrame, pl } from "./polars.js";

/** The columns of chunks with all kinds of value in them, after those that are known already. */
export function kindsOf(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const kinds = new Map(known);
  for (const { columns } of chunks) {
    for (const [name, column] of columns) kinds.set(name, (kinds.get(name) ?? 0) | column.kinds);
  }
  return kinds;
}

/**
 * One frame of consecutive chunks. What a column becomes follows from all the kinds of value in it, so it is the same
 * however the rows were split.
 *
 * @param known columns that are to be there with at least these kinds, the declared ones for example
 */
export function joinChunks(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const kinds = kindsOf(known, chunks);
  const frames = chunks.map((chunk) => {
    let { frame } = chunk;
    for (const [name, { stored }] of chunk.columns) {
      const type = columnType(kinds.get(name) as number);
      if (type !== stored) frame = convert(frame, name, stored, kinds.get(name) as number);
    }
    return frame;
  });
  // The strict form tolerates missing columns and refuses unlike types; it is linear, as "vertical" is not.
  const joined = frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat(frames, { how: "diagonal" });
  return withAll(joined, kinds);
}

/** The frame with every column there is, in order; those that it lacks are null. */
function withAll(frame: PolarsFrame, kinds: ReadonlyMap<string, number>): PolarsFrame {
  const names = [...kinds.keys()];
  // Asked for once: polars gathers the names anew each time.
  const there = frame.columns;
  if (names.length === there.length && names.every((name, at) => name === there[at])) return frame;
  const known = new Set(there);
  const columns = names.map((name) => {
    if (known.has(name)) return frame.getColumn(name);
    const empty = pl.Series(name, new Array<null>(frame.height).fill(null), pl.Utf8);
    return convert(pl.DataFrame([empty]), name, "string", kinds.get(name) as number).getColumn(name);
  });
  return pl.DataFrame(columns);
}

const DTYPES = { int: pl.Int64, float: pl.Float64, bool: pl.Bool } as const;

function convert(frame: PolarsFrame, name: string, stored: Stored, kinds: number): PolarsFrame {
  const type = columnType(kinds);
  if (type === "int" || type === "float" || type === "bool") {
    return mapColumn(frame, name, (column) => column.cast(DTYPES[type]));
  }
  if (stored === "string") {
    if (type === "list") return readLists(frame, name, columnType(itemKinds(kinds)));
    return type === "datetime" ? readMoments(frame, name) : frame;
  }
  if (stored === "datetime") return mapColumn(frame, name, momentText);
  if (stored === "float") return mapText(frame, name, cellText);
  return mapColumn(frame, name, (column) => column.cast(pl.Utf8));
}

/** Text that is moments in every spelling, as Datetime (UTC). */
function readMoments(frame: PolarsFrame, name: string): PolarsFrame {
  const texts = mapText(frame, name, (value) => instant(value as string));
  return mapColumn(texts, name, (column) => column.str.strptime(pl.Datetime("ms"), "%+"));
}

/** JSON text of lists, as lists of whatever all their items are. */
function readLists(frame: PolarsFrame, name: string, type: ColumnType): PolarsFrame {
  const texts = [...frame.getColumn(name).toArray()] as Array<string | null>;
  const lists = texts.map((text) => (text === null ? null : (parseExact(text) as unknown[])));
  const asText = type === "string" || type === "list" || type === "datetime";
  const sample = SAMPLES[asText ? "string" : type];
  const lines = lists.map((list) => {
    const items = list?.map((item) => (asText && item !== null ? cellText(item) : item));
    return `{"list":${stringifyExact(items ?? null)}}\n`;
  });
  const read = readLines(Buffer.from(templateLine(["list"], [[sample]]) + lines.join("")), ["list"]);
  return mapColumn(frame, name, () => read.getColumn("list"));
}

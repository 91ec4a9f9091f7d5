import { cellKind, cellText, instant } from "./cells.js";
import type { Chunk, Stored } from "./chunk.js";
import { parseExact, stringifyExact } from "./exactJson.js";
import { type ColumnType, columnType } from "./kinds.js";
import { mapColumn, mapText, momentText } from "./mapColumn.js";
import { readLines, SAMPLES, templateLine } from "./ndjson.js";
import { type PolarsFrame, pl } from "./polars.js";

/**
 * One frame of consecutive chunks. What a column becomes follows from all the values in it, declared kind included, so
 * it is the same however the rows were split.
 */
export function joinChunks(declared: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const kinds = new Map(declared);
  for (const { columns } of chunks) {
    for (const [name, column] of columns) kinds.set(name, (kinds.get(name) ?? 0) | column.kinds);
  }
  const frames = chunks.map((chunk) => {
    let { frame } = chunk;
    for (const [name, { stored }] of chunk.columns) {
      const type = columnType(kinds.get(name) as number);
      if (type !== stored) frame = convert(frame, name, stored, type);
    }
    return frame;
  });
  // The strict form tolerates missing columns and refuses unlike types; it is linear, as "vertical" is not.
  return frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat(frames, { how: "diagonal" });
}

const DTYPES = { int: pl.Int64, float: pl.Float64, bool: pl.Bool } as const;

function convert(frame: PolarsFrame, name: string, stored: Stored, type: ColumnType): PolarsFrame {
  if (type === "int" || type === "float" || type === "bool") {
    return mapColumn(frame, name, (column) => column.cast(DTYPES[type]));
  }
  if (stored === "string") return type === "list" ? readLists(frame, name) : readMoments(frame, name);
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
function readLists(frame: PolarsFrame, name: string): PolarsFrame {
  const texts = [...frame.getColumn(name).toArray()] as Array<string | null>;
  const lists = texts.map((text) => (text === null ? null : (parseExact(text) as unknown[])));
  let kinds = 0;
  for (const list of lists) for (const item of list ?? []) kinds |= cellKind(item, 0);
  const type = columnType(kinds);
  const asText = type === "string" || type === "list" || type === "datetime";
  const sample = SAMPLES[asText ? "string" : type];
  const lines = lists.map((list) => {
    const items = list?.map((item) => (asText && item !== null ? cellText(item) : item));
    return `{"list":${stringifyExact(items ?? null)}}\n`;
  });
  const read = readLines(Buffer.from(templateLine(["list"], [[sample]]) + lines.join("")), ["list"]);
  return mapColumn(frame, name, () => read.getColumn("list"));
}

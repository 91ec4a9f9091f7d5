import type { RowShape } from "../service/json/rowShape.js";
import { readLines } from "./ndjson.js";
import { type PolarsFrame, pl } from "./polars.js";
import { type ColumnType, flagOf } from "./typeFlags.js";

/** How a column of a chunk is held until the whole result is known: timestamps and lists may still have to become text. */
export type StoredType = Exclude<ColumnType, "list">;

export interface ChunkColumn {
  /** The kinds of value in it. */
  readonly flags: number;
  readonly stored: StoredType;
  /** It is a member of the rows themselves, of the same name. */
  readonly isMember: boolean;
}

/** Some consecutive rows as a frame, with what is needed to bring it to the types of the whole. */
export interface Chunk {
  readonly frame: PolarsFrame;
  readonly columns: ReadonlyMap<string, ChunkColumn>;
}

const parsers = new Map<string, ReturnType<typeof pl.col>>();

/** Text such as `2024-04-27T02:35:35Z` in a column, as Datetime (UTC). An expression costs a millisecond to make, so it is kept. */
export function toDatetime(name: string): ReturnType<typeof pl.col> {
  const known = parsers.get(name);
  if (known !== undefined) return known;
  const parser = pl.col(name).str.strptime(pl.Datetime("ms"), "%+");
  if (parsers.size < 100) parsers.set(name, parser);
  return parser;
}

/**
 * Rows that fit the shape, as lines after the template line of the shape: the bytes of the wire.
 *
 * @throws Error where polars finds what the scan could not see, broken UTF-8 for example
 */
export function uniformChunk(shape: RowShape, lines: Buffer): Chunk {
  const frame = readLines(lines, shape.names);
  const timestamps = shape.names.filter((_name, at) => shape.types[at] === "datetime");
  const columns = new Map<string, ChunkColumn>();
  shape.names.forEach((name, at) => {
    const kind = shape.types[at] as RowShape["types"][number];
    columns.set(name, { flags: flagOf(kind), stored: kind === "null" ? "string" : kind, isMember: true });
  });
  return { frame: timestamps.length === 0 ? frame : frame.withColumns(...timestamps.map(toDatetime)), columns };
}

import type { RowShape } from "../service/json/rowShape.js";
import { readLines } from "./ndjson.js";
import { type PolarsFrame, pl } from "./polars.js";
import { type ColumnType, flagOf } from "./typeFlags.js";

/** The type in which a chunk stores a column until the full result is known. Lists are stored as JSON text. */
export type StoredType = Exclude<ColumnType, "list">;

export interface ChunkColumn {
  /** The type flags of its values. */
  readonly flags: number;
  readonly stored: StoredType;
  /** Whether it is a top-level member of the rows with the same name. */
  readonly isMember: boolean;
}

/** Consecutive rows as a frame, with the information to convert its columns to the types of the full result. */
export interface Chunk {
  readonly frame: PolarsFrame;
  readonly columns: ReadonlyMap<string, ChunkColumn>;
}

const parsers = new Map<string, ReturnType<typeof pl.col>>();

/** Parses text such as `2024-04-27T02:35:35Z` as Datetime (UTC). Expressions are cached, because creating one takes a millisecond. */
export function toDatetime(name: string): ReturnType<typeof pl.col> {
  const known = parsers.get(name);
  if (known !== undefined) return known;
  const parser = pl.col(name).str.strptime(pl.Datetime("ms"), "%+");
  if (parsers.size < 100) parsers.set(name, parser);
  return parser;
}

/**
 * Parses rows that fit the shape.
 *
 * @param lines the template line of the shape, then the rows as received
 * @throws Error if polars finds a defect that the scan does not check, such as invalid UTF-8
 */
export function uniformChunk(shape: RowShape, lines: Buffer): Chunk {
  const frame = readLines(lines, shape.names);
  const timestamps = shape.names.filter((_name, at) => shape.types[at] === "datetime");
  const columns = new Map<string, ChunkColumn>();
  shape.names.forEach((name, at) => {
    const type = shape.types[at] as RowShape["types"][number];
    columns.set(name, { flags: flagOf(type), stored: type === "null" ? "string" : type, isMember: true });
  });
  return { frame: timestamps.length === 0 ? frame : frame.withColumns(...timestamps.map(toDatetime)), columns };
}

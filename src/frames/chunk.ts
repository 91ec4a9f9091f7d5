import type { RowShape } from "../service/pages/rowShape.js";
import { cellKind, cellText } from "./cells.js";
import { columnName } from "./columnName.js";
import { stringifyExact } from "./exactJson.js";
import { flatten } from "./flatten.js";
import { type ColumnType, columnType, Kind, kindOf } from "./kinds.js";
import { readLines, SAMPLES, templateLine } from "./ndjson.js";
import { type PolarsFrame, pl } from "./polars.js";

/** How a column of a chunk is held until the whole result is known: moments and lists may still have to become text. */
export type Stored = Exclude<ColumnType, "list">;

export interface ChunkColumn {
  /** The kinds of value in it. */
  readonly kinds: number;
  readonly stored: Stored;
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
export function plainChunk(shape: RowShape, lines: Buffer): Chunk {
  const frame = readLines(lines, shape.names);
  const moments = shape.names.filter((_name, at) => shape.kinds[at] === "datetime");
  const columns = new Map<string, ChunkColumn>();
  shape.names.forEach((name, at) => {
    const kind = shape.kinds[at] as RowShape["kinds"][number];
    columns.set(name, { kinds: kindOf(kind), stored: kind === "null" ? "string" : kind });
  });
  return { frame: moments.length === 0 ? frame : frame.withColumns(...moments.map(toDatetime)), columns };
}

interface Gathered {
  declared: number;
  kinds: number;
  values: unknown[];
}

/** Rows of any form: nested, with unknown members, with values that do not fit. */
export function looseChunk(declared: ReadonlyMap<string, number>, rows: readonly object[]): Chunk {
  const gathered = new Map<string, Gathered>();
  for (const [name, kind] of declared) gathered.set(name, { declared: kind, kinds: 0, values: [] });
  rows.forEach((row, at) => {
    flatten(row, (member, value) => {
      let name = columnName(member);
      // A member called "a.b" beside a nested a: { b } takes the column first; the other gets one of its own.
      while (gathered.get(name)?.values[at] !== undefined) name += "_";
      const column = gathered.get(name) ?? { declared: 0, kinds: 0, values: [] };
      gathered.set(name, column);
      column.values[at] = value;
    });
  });
  const columns = new Map<string, ChunkColumn>();
  const samples: unknown[] = [];
  const writers: Array<(value: unknown) => string> = [];
  for (const [name, column] of gathered) {
    for (const value of column.values) column.kinds |= cellKind(value, column.declared);
    const type = columnType(column.kinds | column.declared);
    const stored: Stored = type === "list" || type === "datetime" ? "string" : type;
    columns.set(name, { kinds: column.kinds, stored });
    samples.push(SAMPLES[stored]);
    writers.push(writer(stored, column.declared));
  }
  const names = [...gathered.keys()];
  const keys = names.map((name) => `${JSON.stringify(name)}:`);
  const values = [...gathered.values()].map((column) => column.values);
  const lines = rows.map((_row, at) => {
    let line = "";
    for (let c = 0; c < keys.length; c++) {
      const value = values[c]?.[at];
      if (value === null || value === undefined) continue;
      const text = writers[c]?.(value);
      if (text !== undefined && text !== "") line += `${line === "" ? "" : ","}${keys[c]}${text}`;
    }
    return `{${line}}\n`;
  });
  return { frame: readLines(Buffer.from(templateLine(names, samples) + lines.join("")), names), columns };
}

/** Writes a value that is not null as JSON of the stored type; empty where the value is as good as null. */
function writer(stored: Stored, declared: number): (value: unknown) => string {
  if (stored === "string") {
    const emptyIsNull = declared !== 0 && declared !== Kind.string;
    return (value) => (value === "" && emptyIsNull ? "" : JSON.stringify(cellText(value)));
  }
  return (value) => (cellKind(value, declared) === 0 ? "" : stringifyExact(value));
}

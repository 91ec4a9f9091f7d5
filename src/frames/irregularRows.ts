import { ArchiveError } from "../errors/index.js";
import { type Chunk, joinChunks } from "./chunk.js";
import { frameOfLines } from "./convertColumns.js";
import { dateText } from "./exactJson.js";
import type { PolarsFrame } from "./polars.js";
import { cellFlag, cellText, columnType, TypeFlags } from "./typeFlags.js";

interface IrregularColumn {
  /** The type flag of a declared column; 0 if undeclared. */
  readonly declared: number;
  /** The type flags of its values. */
  flags: number;
}

/** Reads rows that do not fit the shape: with unknown members, or with values of other types. */
export class IrregularRows {
  /** The columns of the rows so far, in order of first appearance. */
  readonly columns = new Map<string, IrregularColumn>();
  readonly #declared: number;
  #rows: object[] = [];

  constructor(declared: ReadonlyMap<string, number>) {
    for (const [name, flags] of declared) this.columns.set(name, { declared: flags, flags: 0 });
    this.#declared = declared.size;
  }

  get count(): number {
    return this.#rows.length;
  }

  /**
   * Adds rows, all or none.
   * @param allRows the rows of the frame so far, these included
   * @param received the amount of data received: bytes, or a comparable measure; by default, ten times the number of values
   */
  add(rows: readonly object[], allRows = rows.length, received?: number): void {
    const names = new Set<string>();
    let values = 0;
    for (const row of rows) {
      for (const [member, value] of Object.entries(row)) {
        const name = columnName(member);
        if (!this.columns.has(name)) names.add(name);
        if (value !== null && value !== undefined) values++;
      }
    }
    const columns = this.columns.size + names.size - this.#declared;
    checkCells(allRows, columns, received ?? CELLS_PER_VALUE * values);
    for (const name of names) this.columns.set(name, { declared: 0, flags: 0 });
    for (const row of rows) {
      for (const [member, value] of Object.entries(row)) {
        const column = this.columns.get(columnName(member)) as IrregularColumn;
        column.flags |= cellFlag(value, column.declared);
      }
      this.#rows.push(row);
    }
  }

  /** Returns the rows and forgets them, but not their columns. */
  take(): Chunk {
    const columns = [...this.columns].map(([name, { declared, flags }], at) => {
      const stored = storedType(flags | declared);
      return { name, declared, flags: flags | declared, stored, member: `"c${at}":` };
    });
    const places = new Map(columns.map((column) => [column.name, column]));
    const lines = this.#rows.map((row) => {
      let line = "";
      for (const [member, value] of Object.entries(row)) {
        const place = places.get(columnName(member)) as (typeof columns)[number];
        const json = cellJson(value, place.stored, place.declared);
        if (json !== undefined) line += `${line && ","}${place.member}${json}`;
      }
      return `{${line}}\n`;
    });
    this.#rows = [];
    const frame = frameOfLines(
      columns.map(({ name, stored }) => ({ name, type: stored })),
      lines,
    );
    return { frame, columns: new Map(columns.map(({ name, flags, stored }) => [name, { flags, stored }])) };
  }
}

/** The column of a member has its name. A name that UTF-8 cannot encode becomes its JSON text. */
function columnName(member: string): string {
  return member.isWellFormed() ? member : JSON.stringify(member);
}

/** The type in which a chunk stores a column. Timestamps and lists stay text, which is as they were sent if the column becomes text. */
function storedType(flags: number): "int" | "float" | "bool" | "string" {
  const type = columnType(flags);
  return type === "list" || type === "datetime" ? "string" : type;
}

/** A value as JSON of the stored type; undefined if it counts as null. */
function cellJson(value: unknown, stored: ReturnType<typeof storedType>, declared: number): string | undefined {
  if (value === null || value === undefined || (value instanceof Date && dateText(value) === null)) return undefined;
  if (stored === "string") {
    const isNull = value === "" && declared !== 0 && declared !== TypeFlags.string;
    return isNull ? undefined : JSON.stringify(cellText(value));
  }
  if (cellFlag(value, declared) === 0) return undefined;
  return stored === "float" ? JSON.stringify(Number(value)) : String(value);
}

/** Cells in undeclared columns that any frame may have. */
const FREE_CELLS = 3_000_000;
/** The fixed cost of a column, in cells: polars allocates some kilobytes for each and takes up to 60 µs to create it. */
const CELLS_PER_COLUMN = 300;
/** Cells that a large frame may have per value, if all rows are already in memory. */
const CELLS_PER_VALUE = 10;

/**
 * Refuses a very large, nearly empty frame: if every row has members of its own, the frame grows with the square of the data received.
 * About ten thousand columns are possible. A frame with a value in every cell is never refused.
 * @param received the amount of data received: bytes, or a comparable measure
 */
function checkCells(rows: number, columns: number, received: number): void {
  if (columns * (rows + CELLS_PER_COLUMN) <= Math.max(FREE_CELLS, received)) return;
  const count = (value: number) => value.toLocaleString("en");
  throw new ArchiveError(
    rows === 1
      ? `A row has ${count(columns)} undeclared members, too many for the columns of a frame.`
      : `${count(rows)} rows have ${count(columns)} different members: the frame would consist almost entirely of empty cells.`,
    {
      code: "TOO_MANY_CELLS",
      hint: 'Read the rows without a frame: format: "records" or "json", or iterRecords(…).',
    },
  );
}

/** Builds a frame from all rows of a result, whatever their form; the declared columns come first. */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  const irregular = new IrregularRows(declared);
  irregular.add(rows);
  return joinChunks(declared, [irregular.take()]);
}

import { ArchiveError } from "../errors/index.js";
import { isPlainObject } from "../util/isObject.js";
import { type Chunk, joinChunks } from "./chunk.js";
import { columnName, simpleColumnName, warnOfNames } from "./columnName.js";
import { frameOfLines } from "./convertColumns.js";
import { stringifyExact } from "./exactJson.js";
import type { PolarsFrame } from "./polars.js";
import { cellFlag, cellText, columnType, type StoredType, TypeFlags } from "./typeFlags.js";

// Deeper than any realistic record. Objects below this depth become JSON text instead of columns.
const MAX_DEPTH = 32;
/** The format of the service, in which a Datetime column is written as text, too. */
const PLAIN_TIMESTAMP = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export interface IrregularColumn {
  /** Member names, outermost first. */
  readonly path: readonly string[];
  /** Empty until a row has it: only then it is clear that all names together are not too long. */
  name: string;
  /** The type flag of a declared column; 0 if undeclared. */
  readonly declared: number;
  /** The type flags of its values. */
  flags: number;
  /** Whether every timestamp is in the format of the service, so that text is what it was. */
  isPlain: boolean;
  isUsed: boolean;
}

interface Member {
  readonly path: readonly string[];
  readonly members: Map<string, Member>;
  /** The index of its column; -1 if it has none yet. */
  column: number;
}

/** The non-null values of one row, as a flat list: column index, value, column index, value, … */
type Cells = unknown[];

/** Reads rows that do not fit the shape: nested, with unknown members, or with values of other types. */
export class IrregularRows {
  readonly #columns: IrregularColumn[] = [];
  readonly #root: Member = { path: [], members: new Map(), column: -1 };
  readonly #declared: number;
  readonly #nameOf: typeof columnName;
  /** The approximate total length of the names of all undeclared columns. */
  #nameLength = 0;
  #rows: Cells[] = [];

  /** @param nameOf names a column; differently for different members */
  constructor(declared: ReadonlyMap<string, number>, nameOf = columnName) {
    this.#nameOf = nameOf;
    for (const [name, flags] of declared) this.#columnOf(this.#member(this.#root, name), flags);
    for (const column of this.#columns) this.#use(column);
    this.#declared = declared.size;
    this.#nameLength = 0;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** The columns of the rows so far, in order of first appearance. */
  get columns(): IrregularColumn[] {
    return this.#columns.filter(({ isUsed }) => isUsed);
  }

  /**
   * Adds rows, all or none.
   * @param allRows the rows of the frame so far, these included
   * @param received the amount of data received: bytes, or a comparable measure; by default, ten times the number of values
   */
  add(rows: readonly object[], allRows = rows.length, received?: number): void {
    const seen = new Set<number>();
    let values = 0;
    const added = rows.map((row) => {
      const cells: Cells = [];
      this.#read(row, this.#root, cells, seen);
      values += cells.length / 2;
      return cells;
    });
    const columns = this.#columns.length - this.#declared;
    checkCells({ rows: allRows, columns, nameLength: this.#nameLength }, received ?? CELLS_PER_VALUE * values);
    for (const at of seen) this.#use(this.#columns[at] as IrregularColumn);
    for (const cells of added) {
      for (let at = 0; at < cells.length; at += 2) {
        const [column, value] = [this.#columns[cells[at] as number] as IrregularColumn, cells[at + 1]];
        // Most cells: nothing to find out.
        if (typeof value === "string" && column.declared === TypeFlags.string) column.flags |= TypeFlags.string;
        else if (Number.isSafeInteger(value)) column.flags |= TypeFlags.int;
        else addFlags(column, value);
      }
      this.#rows.push(cells);
    }
  }

  take(): Chunk {
    const used = this.#columns.flatMap((column, index) => {
      if (!column.isUsed) return [];
      const flags = column.flags | column.declared;
      return [{ ...column, index, flags, stored: storedType(flags, column.isPlain) }];
    });
    const places = new Map(used.map((column, at) => [column.index, { ...column, start: `"c${at}":` }]));
    const lines = this.#rows.map((cells) => {
      let line = "";
      for (let at = 0; at < cells.length; at += 2) {
        const place = places.get(cells[at] as number);
        if (place === undefined) continue;
        const json = cellJson(cells[at + 1], place.stored, place.declared);
        if (json !== undefined) line += `${line && ","}${place.start}${json}`;
      }
      return `{${line}}\n`;
    });
    this.#rows = [];
    warnOfNames(used);
    const frame = frameOfLines(
      used.map(({ name, stored }) => ({ name, type: stored })),
      lines,
    );
    return { frame, columns: new Map(used.map(({ name, flags, stored }) => [name, { flags, stored }])) };
  }

  /** Adds the columns of the members of a row to `seen`, and its non-null values to `cells`. Nested objects are flattened, lists are not. */
  #read(row: object, parent: Member, cells: Cells, seen: Set<number>): void {
    for (const [name, value] of Object.entries(row)) {
      const member = parent.members.get(name) ?? this.#member(parent, name);
      let cell: unknown = value;
      if (typeof value === "object" && isPlainObject(value)) {
        if (member.path.length > MAX_DEPTH) cell = stringifyExact(value);
        else if (Object.keys(value).length === 0) cell = null;
        else {
          this.#read(value, member, cells, seen);
          continue;
        }
      }
      const column = member.column >= 0 ? member.column : this.#columnOf(member);
      seen.add(column);
      if (cell !== null && cell !== undefined) cells.push(column, cell);
    }
  }

  #member({ members, path }: Member, name: string): Member {
    const member: Member = { path: [...path, name], members: new Map(), column: -1 };
    members.set(name, member);
    return member;
  }

  #columnOf(member: Member, declared = 0): number {
    const { path } = member;
    member.column = this.#columns.length;
    for (const name of path) this.#nameLength += name.length + 1;
    this.#columns.push({ path, name: "", declared, flags: 0, isPlain: true, isUsed: false });
    return member.column;
  }

  #use(column: IrregularColumn): void {
    if (!column.isUsed) column.name = this.#nameOf(column.path);
    column.isUsed = true;
  }
}

function addFlags(column: IrregularColumn, value: unknown): void {
  const flag = cellFlag(value, column.declared);
  column.flags |= flag;
  if (flag === TypeFlags.datetime && !(typeof value === "string" && PLAIN_TIMESTAMP.test(value)))
    column.isPlain = false;
}

/** The type in which a chunk stores a column: that of all its values, unless another text would lose how they are spelled. */
function storedType(flags: number, isPlain: boolean): StoredType {
  const type = columnType(flags);
  return type === "list" || (type === "datetime" && !isPlain) ? "string" : type;
}

/** A non-null value as JSON of the stored type; undefined if it counts as null. */
function cellJson(value: unknown, stored: StoredType, declared: number): string | undefined {
  if (stored === "int" && Number.isInteger(value)) return String(value);
  if (stored === "string") {
    const isNull = value === "" && declared !== 0 && declared !== TypeFlags.string;
    return isNull ? undefined : JSON.stringify(typeof value === "string" ? value.toWellFormed() : cellText(value));
  }
  if (cellFlag(value, declared) === 0) return undefined;
  if (stored === "datetime") return JSON.stringify(value);
  return stored === "float" ? JSON.stringify(Number(value)) : String(value);
}

/** Cells in undeclared columns that any frame may have. */
const FREE_CELLS = 3_000_000;
/** The fixed cost of a column, in cells: polars allocates some kilobytes for each and takes up to 60 µs to create it. */
const CELLS_PER_COLUMN = 300;
/** Cells that a large frame may have per value, if all rows are already in memory. */
export const CELLS_PER_VALUE = 10;

/**
 * Refuses a very large, nearly empty frame: if every row has members of its own, the frame grows with the square of the data received.
 * About ten thousand columns are possible. A frame with a value in every cell is never refused.
 * @param received the amount of data received: bytes, or a comparable measure
 */
export function checkCells(
  { rows, columns, nameLength }: { readonly rows: number; readonly columns: number; readonly nameLength: number },
  received: number,
): void {
  const allowed = Math.max(FREE_CELLS, received);
  if (columns * (rows + CELLS_PER_COLUMN) <= allowed && nameLength <= allowed) return;
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

/**
 * Builds a frame from all rows of a result, whatever their form; the declared columns come first. Because all rows are known, columns
 * have the names of their members unless two columns would share a name.
 */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  return joinChunks(declared, [irregularChunk(declared, rows)]);
}

/** The same before its columns have their final types. */
export function irregularChunk(declared: ReadonlyMap<string, number>, rows: readonly object[]): Chunk {
  const read = (nameOf: typeof columnName) => {
    const irregular = new IrregularRows(declared, nameOf);
    irregular.add(rows);
    return irregular;
  };
  const simple = read(simpleColumnName);
  const { columns } = simple;
  const isUnique = new Set(columns.map(({ name }) => name)).size === columns.length;
  return (isUnique ? simple : read(columnName)).take();
}

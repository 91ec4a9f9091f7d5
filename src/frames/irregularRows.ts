import { type CellType, type RowTape, rowShape } from "../pages/rows.js";
import { scanList } from "../pages/scanPage.js";
import { CELLS_PER_VALUE, checkCells, type FrameSize } from "./cellLimit.js";
import { type Chunk, type ChunkColumn, chunkOf, joinChunks } from "./chunk.js";
import { columnName, simpleColumnName, warnOfNames } from "./columnName.js";
import { type MemberColumn, MemberTree } from "./memberTree.js";
import type { PolarsFrame } from "./polars.js";
import { cellFlag, cellText, columnType, type StoredType, TypeFlags } from "./typeFlags.js";

/** The non-null values of one row, as a flat list: column index, value, column index, value, … */
type Cells = unknown[];

/** A column of irregular rows: its index in the tree, its name, and the type flags of its values. */
export interface IrregularColumn extends Omit<ChunkColumn, "stored"> {
  readonly index: number;
  readonly path: readonly string[];
  readonly name: string;
  readonly declared: number;
  /** Whether every timestamp is in the format of the service, which the scanner reads. */
  readonly isPlain: boolean;
}

/** The format of the service, in which a Datetime column is written as text, too. */
const PLAIN_TIMESTAMP = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Rows that do not fit the shape: nested, with unknown members, or with values of other types. */
export class IrregularRows {
  readonly #rows: Cells[] = [];
  /** Indexes in the tree of the columns that the rows have. */
  readonly #columns = new Set<number>();
  #values = 0;

  /** @param members the members so far; `add` extends it */
  constructor(readonly members: MemberTree) {
    for (let at = 0; at < members.declared; at++) this.#columns.add(at);
  }

  /** The number of non-null values. */
  get values(): number {
    return this.#values;
  }

  get rows(): number {
    return this.#rows.length;
  }

  /** The size of a frame of these rows, with all columns of the tree. */
  get size(): FrameSize {
    const { columns, declared, nameLength } = this.members;
    return { rows: this.#rows.length, columns: columns.length - declared, nameLength };
  }

  add(row: object): void {
    const cells: Cells = [];
    this.members.read(row, (column, value) => {
      this.#columns.add(column);
      if (value !== null && value !== undefined) cells.push(column, value);
    });
    this.#rows.push(cells);
    this.#values += cells.length / 2;
  }

  /** Drops all rows after the first `rows`, and the columns that only those had. */
  truncate(rows: number): void {
    this.#rows.length = rows;
    this.#columns.clear();
    for (let at = 0; at < this.members.declared; at++) this.#columns.add(at);
    for (const cells of this.#rows) for (let at = 0; at < cells.length; at += 2) this.#columns.add(cells[at] as number);
  }

  /**
   * The columns of the rows, in order of the tree.
   *
   * @param simple use the simpler names unless two columns would share one; only valid if these are all rows of the result
   */
  columns({ simple = false } = {}): IrregularColumn[] {
    const indexes = [...this.#columns].sort((a, b) => a - b);
    const members = indexes.map((at) => this.members.columns[at] as MemberColumn);
    const names = namesOf(members, simple);
    const { flags, odd } = this.#flags();
    return indexes.map((index, at) => {
      const { path, declared } = members[at] as MemberColumn;
      const name = names[at] as string;
      const isMember = path.length === 1 && path[0] === name;
      return { index, path, name, declared, flags: flags[index] ?? 0, isMember, isPlain: !odd.has(index) };
    });
  }

  /** The rows as the scanner sees them, with a cell for each of these columns. */
  scan(columns: ReadonlyArray<IrregularColumn & { readonly stored: StoredType }>): { bytes: Buffer; tape: RowTape } {
    const shape = rowShape<CellType>(columns.map(({ name, stored }) => [name, CELLS[stored]]));
    const keys: string[] = [];
    const writers: Array<(value: unknown) => string> = [];
    for (const { index, name, stored, declared } of columns) {
      keys[index] = `${JSON.stringify(name)}:`;
      writers[index] = writer(stored, declared);
    }
    const rows = this.#rows.map((cells) => {
      const row: string[] = [];
      for (let at = 0; at < cells.length; at += 2) {
        const column = cells[at] as number;
        const text = writers[column]?.(cells[at + 1]);
        if (text !== undefined && text !== "") row.push(`${keys[column]}${text}`);
      }
      return `{${row.join(",")}}`;
    });
    const bytes = Buffer.from(`[${rows.join(",")}]`);
    return { bytes, tape: scanList(bytes, shape) };
  }

  /** The type flags of each column, by index, and the columns with timestamps in other formats. */
  #flags(): { flags: number[]; odd: Set<number> } {
    const flags: number[] = new Array<number>(this.members.columns.length).fill(0);
    const odd = new Set<number>();
    for (const cells of this.#rows) {
      for (let at = 0; at < cells.length; at += 2) {
        const column = cells[at] as number;
        const value = cells[at + 1];
        const flag = cellFlag(value, (this.members.columns[column] as MemberColumn).declared);
        flags[column] = (flags[column] as number) | flag;
        if (flag === TypeFlags.datetime && !(typeof value === "string" && PLAIN_TIMESTAMP.test(value))) odd.add(column);
      }
    }
    return { flags, odd };
  }
}

/** Unique names, independent of the order of the members. */
function namesOf(members: readonly MemberColumn[], simple: boolean): string[] {
  const names = members.map(({ path }) => (simple ? simpleColumnName : columnName)(path));
  return simple && new Set(names).size < names.length ? namesOf(members, false) : names;
}

/** How the values of each type are written for the scanner: floats as the whole number with the same 64 bits. */
const CELLS: Readonly<Record<StoredType, CellType>> = {
  string: "string",
  int: "long",
  float: "long",
  bool: "bool",
  datetime: "datetime",
};

const float = new Float64Array(1);
const floatBits = new BigInt64Array(float.buffer);

/** Returns a function that writes a non-null value as JSON of the stored type, or "" if the value counts as null. */
function writer(stored: StoredType, declared: number): (value: unknown) => string {
  if (stored === "string") {
    const emptyIsNull = declared !== 0 && declared !== TypeFlags.string;
    return (value) => (value === "" && emptyIsNull ? "" : JSON.stringify(cellText(value)));
  }
  return (value) => {
    if (cellFlag(value, declared) === 0) return "";
    if (stored === "datetime") return `"${value as string}"`;
    if (stored !== "float") return String(value);
    float[0] = Number(value) + 0;
    return String(floatBits[0]);
  };
}

/** The type in which a chunk stores a column: that of all its values, unless another text would lose how they are spelled. */
export function storedType(
  { flags, isPlain }: Pick<IrregularColumn, "flags" | "isPlain">,
  minimum: number,
): StoredType {
  const type = columnType(flags | minimum);
  return type === "list" || (type === "datetime" && !isPlain) ? "string" : type;
}

/**
 * Builds a frame from all rows of a result, whatever their form; the declared columns come first. Because all rows are known,
 * columns have the names of their members unless two columns would share a name.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` for a large frame that would be nearly empty
 */
export function irregularFrame(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  return joinChunks(declared, [irregularChunk(declared, rows)]);
}

/** The same before its columns have their final types. */
export function irregularChunk(declared: ReadonlyMap<string, number>, rows: readonly object[]): Chunk {
  const irregular = new IrregularRows(new MemberTree(declared));
  for (const row of rows) irregular.add(row);
  checkCells(irregular.size, CELLS_PER_VALUE * irregular.values);
  const columns = irregular
    .columns({ simple: true })
    .map((column) => ({ ...column, stored: storedType(column, column.declared) }));
  warnOfNames(columns);
  const { bytes, tape } = irregular.scan(columns);
  const run = { tape, from: 0, rows: rows.length, base: 0 };
  return chunkOf(new Map(columns.map((column) => [column.name, column])), [run], bytes);
}

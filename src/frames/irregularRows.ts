import type { FrameSize } from "./cellLimit.js";
import { cellFlag, cellText } from "./cells.js";
import type { Chunk, ChunkColumn, StoredType } from "./chunk.js";
import { columnName, simpleColumnName } from "./columnName.js";
import type { MemberColumn, MemberTree } from "./memberTree.js";
import { readLines, SAMPLES, templateLine } from "./ndjson.js";
import { columnType, TypeFlags } from "./typeFlags.js";
import { warnOfNames } from "./warnOfNames.js";

/** The non-null values of one row, as a flat list: column index, value, column index, value, … */
type Cells = unknown[];

/** Rows that do not fit the shape: nested, with unknown members, or with values of other types. */
export class IrregularRows {
  readonly #cells: Cells[] = [];
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

  /** The size of a frame of these rows, with all columns of the tree. */
  get size(): FrameSize {
    const { columns, declared, nameLength } = this.members;
    return { rows: this.#cells.length, columns: columns.length - declared, nameLength };
  }

  add(rows: readonly object[]): void {
    for (const row of rows) {
      const cells: Cells = [];
      this.members.read(row, (column, value) => {
        this.#columns.add(column);
        if (value !== null && value !== undefined) cells.push(column, value);
      });
      this.#cells.push(cells);
      this.#values += cells.length / 2;
    }
  }

  /** Drops all rows after the first `rows`, and the columns that only those had. */
  truncate(rows: number): void {
    this.#cells.length = rows;
    this.#columns.clear();
    for (let at = 0; at < this.members.declared; at++) this.#columns.add(at);
    for (const cells of this.#cells)
      for (let at = 0; at < cells.length; at += 2) this.#columns.add(cells[at] as number);
  }

  /** @param simple use the simpler names unless two columns would share one; only valid if these are all rows of the result */
  chunk({ simple = false } = {}): Chunk {
    const indexes = [...this.#columns].sort((a, b) => a - b);
    const members = indexes.map((at) => this.members.columns[at] as MemberColumn);
    const names = namesOf(members, simple);
    warnOfNames(members, names);
    const flags = this.#flags();
    const columns = new Map<string, ChunkColumn>();
    const samples: unknown[] = [];
    const keys: string[] = [];
    const writers: Array<(value: unknown) => string> = [];
    indexes.forEach((column, at) => {
      const { path, declared } = members[at] as MemberColumn;
      const name = names[at] as string;
      const seen = flags[column] ?? 0;
      const type = columnType(seen | declared);
      const stored: StoredType = type === "list" || type === "datetime" ? "string" : type;
      columns.set(name, { flags: seen, stored, isMember: path.length === 1 && path[0] === name });
      samples.push(SAMPLES[stored]);
      keys[column] = `${JSON.stringify(name)}:`;
      writers[column] = writer(stored, declared);
    });
    const lines = this.#cells.map((cells) => {
      const line: string[] = [];
      for (let at = 0; at < cells.length; at += 2) {
        const column = cells[at] as number;
        const text = writers[column]?.(cells[at + 1]);
        if (text !== undefined && text !== "") line.push(`${keys[column]}${text}`);
      }
      return `{${line.join(",")}}\n`;
    });
    return { frame: readLines(Buffer.from(templateLine(names, samples) + lines.join("")), names), columns };
  }

  /** The type flags of each column, by index. */
  #flags(): number[] {
    const flags: number[] = new Array<number>(this.members.columns.length).fill(0);
    for (const cells of this.#cells) {
      for (let at = 0; at < cells.length; at += 2) {
        const column = cells[at] as number;
        const { declared } = this.members.columns[column] as MemberColumn;
        flags[column] = (flags[column] as number) | cellFlag(cells[at + 1], declared);
      }
    }
    return flags;
  }
}

/** Unique names, independent of the order of the members. */
function namesOf(members: readonly MemberColumn[], simple: boolean): string[] {
  const names = members.map(({ path }) => (simple ? simpleColumnName : columnName)(path));
  return simple && new Set(names).size < names.length ? namesOf(members, false) : names;
}

/** Returns a function that writes a non-null value as JSON of the stored type, or "" if the value counts as null. */
function writer(stored: StoredType, declared: number): (value: unknown) => string {
  if (stored === "string") {
    const emptyIsNull = declared !== 0 && declared !== TypeFlags.string;
    return (value) => (value === "" && emptyIsNull ? "" : JSON.stringify(cellText(value)));
  }
  return (value) => (cellFlag(value, declared) === 0 ? "" : String(value));
}

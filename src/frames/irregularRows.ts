import type { FrameSize } from "./cellLimit.js";
import { cellFlag, cellText } from "./cells.js";
import type { Chunk, ChunkColumn, StoredType } from "./chunk.js";
import { columnName, simpleColumnName } from "./columnName.js";
import type { MemberColumn, MemberTree } from "./memberTree.js";
import { readLines, SAMPLES, templateLine } from "./ndjson.js";
import { columnType, TypeFlags } from "./typeFlags.js";
import { warnOfNames } from "./warnOfNames.js";

/** Values of one row that are not null: the place of a column, its value, the next place, … */
type Cells = unknown[];

/** Rows of any form: nested, with unknown members, with values that do not fit. */
export class IrregularRows {
  readonly #cells: Cells[] = [];
  /** Columns that the rows have, by their places in the tree. */
  readonly #columns = new Set<number>();
  #values = 0;

  /** @param members the members so far; those of the rows are added to it */
  constructor(readonly members: MemberTree) {
    for (let at = 0; at < members.declared; at++) this.#columns.add(at);
  }

  /** Values that are not null. */
  get values(): number {
    return this.#values;
  }

  /** What a frame of these rows would have; the columns are those of the tree. */
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

  /** Forgets all rows but the first ones, and what only the others had. */
  keep(rows: number): void {
    this.#cells.length = rows;
    this.#columns.clear();
    for (let at = 0; at < this.members.declared; at++) this.#columns.add(at);
    for (const cells of this.#cells)
      for (let at = 0; at < cells.length; at += 2) this.#columns.add(cells[at] as number);
  }

  /** @param simple names may be the simpler ones, where no two are the same: these are all rows that there are */
  chunk({ simple = false } = {}): Chunk {
    const places = [...this.#columns].sort((a, b) => a - b);
    const members = places.map((at) => this.members.columns[at] as MemberColumn);
    const names = namesOf(members, simple);
    warnOfNames(members, names);
    const flags = this.#flags();
    const columns = new Map<string, ChunkColumn>();
    const samples: unknown[] = [];
    const keys: string[] = [];
    const writers: Array<(value: unknown) => string> = [];
    places.forEach((place, at) => {
      const { path, declared } = members[at] as MemberColumn;
      const name = names[at] as string;
      const seen = flags[place] ?? 0;
      const type = columnType(seen | declared);
      const stored: StoredType = type === "list" || type === "datetime" ? "string" : type;
      columns.set(name, { flags: seen, stored, isMember: path.length === 1 && path[0] === name });
      samples.push(SAMPLES[stored]);
      keys[place] = `${JSON.stringify(name)}:`;
      writers[place] = writer(stored, declared);
    });
    const lines = this.#cells.map((cells) => {
      const line: string[] = [];
      for (let at = 0; at < cells.length; at += 2) {
        const place = cells[at] as number;
        const text = writers[place]?.(cells[at + 1]);
        if (text !== undefined && text !== "") line.push(`${keys[place]}${text}`);
      }
      return `{${line.join(",")}}\n`;
    });
    return { frame: readLines(Buffer.from(templateLine(names, samples) + lines.join("")), names), columns };
  }

  /** The flags of value in each column, by its place. */
  #flags(): number[] {
    const flags: number[] = new Array<number>(this.members.columns.length).fill(0);
    for (const cells of this.#cells) {
      for (let at = 0; at < cells.length; at += 2) {
        const place = cells[at] as number;
        const { declared } = this.members.columns[place] as MemberColumn;
        flags[place] = (flags[place] as number) | cellFlag(cells[at + 1], declared);
      }
    }
    return flags;
  }
}

/** No two are the same, whatever the order in which the members came. */
function namesOf(members: readonly MemberColumn[], simple: boolean): string[] {
  const names = members.map(({ path }) => (simple ? simpleColumnName : columnName)(path));
  return simple && new Set(names).size < names.length ? namesOf(members, false) : names;
}

/** Writes a value that is not null as JSON of the stored type; empty where the value is as good as null. */
function writer(stored: StoredType, declared: number): (value: unknown) => string {
  if (stored === "string") {
    const emptyIsNull = declared !== 0 && declared !== TypeFlags.string;
    return (value) => (value === "" && emptyIsNull ? "" : JSON.stringify(cellText(value)));
  }
  return (value) => (cellFlag(value, declared) === 0 ? "" : String(value));
}

import { ArchiveError } from "../errors/index.js";
import { type Chunk, joinChunks } from "./chunk.js";
import { frameOfLines } from "./convertColumns.js";
import { cellFlag, cellText, columnType, TypeFlags } from "./dtypes.js";
import { dateText } from "./exactJson.js";
import type { PolarsFrame } from "./polars.js";

interface IrregularColumn {
  /** The type flag of a declared column; 0 if undeclared. */
  readonly declared: number;
  /** The type flags of its values. */
  flags: number;
}

/** Reads rows that do not fit the schema: with unknown members, or with values of other types. */
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

  /** @throws ArchiveError `TOO_MANY_COLUMNS` */
  add(rows: readonly object[]): void {
    for (const row of rows) {
      for (const [member, value] of Object.entries(row)) {
        const column = this.#column(columnName(member));
        column.flags |= cellFlag(value, column.declared);
      }
      this.#rows.push(row);
    }
  }

  #column(name: string): IrregularColumn {
    const existing = this.columns.get(name);
    if (existing !== undefined) return existing;
    if (this.columns.size - this.#declared === MAX_COLUMNS) {
      const message = "The rows have more than 2,000 undeclared members, too many for the columns of a frame.";
      const hint = 'Read the rows without a frame: format: "records" or "json", or iterRecords(…).';
      throw new ArchiveError(message, { code: "TOO_MANY_COLUMNS", hint });
    }
    const column = { declared: 0, flags: 0 };
    this.columns.set(name, column);
    return column;
  }

  /** Returns the rows and removes them; the columns remain. */
  take(): Chunk {
    const columns = [...this.columns].map(([name, { declared, flags }], at) => {
      const storedType = storedTypeOf(flags | declared);
      return { name, declared, flags: flags | declared, storedType, member: `"c${at}":` };
    });
    const columnByName = new Map(columns.map((column) => [column.name, column]));
    const lines = this.#rows.map((row) => {
      let line = "";
      for (const [member, value] of Object.entries(row)) {
        const column = columnByName.get(columnName(member)) as (typeof columns)[number];
        const json = cellJson(value, column.storedType, column.declared);
        if (json !== undefined) line += `${line && ","}${column.member}${json}`;
      }
      return `{${line}}\n`;
    });
    this.#rows = [];
    const frame = frameOfLines(
      columns.map(({ name, storedType }) => ({ name, type: storedType })),
      lines,
    );
    return { frame, columns: new Map(columns.map(({ name, flags, storedType }) => [name, { flags, storedType }])) };
  }
}

/** The column of a member has its name. A name that UTF-8 cannot encode becomes its JSON text. */
function columnName(member: string): string {
  return member.isWellFormed() ? member : JSON.stringify(member);
}

/** The type in which a chunk stores a column. Timestamps and lists stay the text that was sent, in case the column becomes text. */
function storedTypeOf(flags: number): "int" | "float" | "bool" | "string" {
  const type = columnType(flags);
  return type === "list" || type === "datetime" ? "string" : type;
}

/** A value as JSON of the stored type; undefined if it counts as null. */
function cellJson(value: unknown, storedType: ReturnType<typeof storedTypeOf>, declared: number): string | undefined {
  if (value === null || value === undefined || (value instanceof Date && dateText(value) === null)) return undefined;
  if (storedType === "string") {
    const isNull = value === "" && declared !== 0 && declared !== TypeFlags.string;
    return isNull ? undefined : JSON.stringify(cellText(value));
  }
  if (cellFlag(value, declared) === 0) return undefined;
  return storedType === "float" ? JSON.stringify(Number(value)) : String(value);
}

/** Undeclared columns of a frame at most. Rows that each have another member would take quadratic memory. */
const MAX_COLUMNS = 2000;

/** Builds a frame of any rows; the declared columns come first. */
export function frameOfRows(declared: ReadonlyMap<string, number>, rows: readonly object[]): PolarsFrame {
  const irregular = new IrregularRows(declared);
  irregular.add(rows);
  return joinChunks(declared, [irregular.take()]);
}

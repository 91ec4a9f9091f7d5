import { mapText } from "../../frames/frameColumns.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { cellText } from "../../frames/typeFlags.js";
import type { MemberType } from "../../pages/rows.js";
import { type DeclaredColumns, operations } from "../../service/operations/operations.js";
import type { Database } from "./database.js";
import { identifier } from "./sqlText.js";

/** The types of columns in the database. */
export type ColumnType = "VARCHAR" | "BIGINT" | "DOUBLE" | "BOOLEAN" | "TIMESTAMP WITH TIME ZONE";

const TYPES: Readonly<Record<MemberType, ColumnType>> = {
  int: "BIGINT",
  float: "DOUBLE",
  bool: "BOOLEAN",
  string: "VARCHAR",
  datetime: "TIMESTAMP WITH TIME ZONE",
  null: "VARCHAR",
};

/** By the variant of a dtype of polars. */
const STORED: Readonly<Record<string, ColumnType>> = {
  String: "VARCHAR",
  Utf8: "VARCHAR",
  Int64: "BIGINT",
  Float64: "DOUBLE",
  Bool: "BOOLEAN",
  Datetime: "TIMESTAMP WITH TIME ZONE",
};

/** The columns of mentions that the corpus adds itself. */
export const OWN_COLUMNS = ["first_seen", "changed", "vanished", "round"] as const;
/** Names that the service cannot use: those of the corpus, and those of the directories. */
const TAKEN = new Set<string>([...OWN_COLUMNS, "year", "month"]);

/** The columns of mentions that the service declares, with their types if every value fits. Only they decide whether a mention has changed. */
export const DECLARED: ReadonlyMap<string, ColumnType> = typesOf(operations.mentions.columns);

function typesOf(columns: DeclaredColumns): Map<string, ColumnType> {
  return new Map(Object.entries(columns).map(([name, type]) => [name, TYPES[type]]));
}

/** A column of a file of rows: its name on the wire, and its type. */
export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The rows with columns that the database can hold: lists and objects become text. */
export function storable(frame: PolarsFrame): { readonly frame: PolarsFrame; readonly columns: readonly FileColumn[] } {
  const names = frame.columns;
  const types = frame.dtypes.map(({ variant }) => STORED[variant]);
  const text = names.filter((_name, at) => types[at] === undefined);
  return {
    frame: text.reduce((rows, name) => mapText(rows, name, cellText), frame),
    columns: names.map((name, at) => ({ name, type: types[at] ?? "VARCHAR" })),
  };
}

/** The columns of mentions from the service. They widen to what comes; SQL does not tell names in capitals from others. */
export class MentionColumns {
  readonly #types = new Map<string, ColumnType>();
  readonly #byLowerCase = new Map<string, string>();

  static async of(database: Database): Promise<MentionColumns> {
    const columns = new MentionColumns();
    const known = await database.rows<{ name: string; type: ColumnType }>(
      "select column_name as name, data_type as type from duckdb_columns() where table_name = 'mentions' and not internal order by column_index",
    );
    const own = new Set<string>(OWN_COLUMNS);
    for (const { name, type } of known) if (!own.has(name)) columns.#set(name, type);
    await columns.widen(
      database,
      [...DECLARED].map(([name, type]) => ({ name, type })),
    );
    return columns;
  }

  get names(): string[] {
    return [...this.#types.keys()];
  }

  typeOf(name: string): ColumnType {
    return this.#types.get(name) ?? "VARCHAR";
  }

  /** The name that a column of the service has in the database. */
  nameOf(name: string): string {
    let free = name.replaceAll("\0", "").slice(0, 1000);
    if (TAKEN.has(free.toLowerCase().replace(/(?<!_)_+$/, ""))) free = `${free}_`;
    while ((this.#byLowerCase.get(free.toLowerCase()) ?? free) !== free) free = `${free}_`;
    return free;
  }

  /** Adds columns, and widens those with other values than before: numbers to DOUBLE, anything else to text. Returns whether any is new. */
  async widen(database: Database, columns: readonly FileColumn[]): Promise<boolean> {
    let isOther = false;
    for (const { name: sent, type } of columns) {
      const name = this.nameOf(sent);
      const known = this.#types.get(name);
      const wide = known === undefined ? type : union(known, type);
      if (wide === known) continue;
      isOther = true;
      const column = identifier(name);
      await database.run(
        known === undefined
          ? `alter table mentions add column if not exists ${column} ${wide}`
          : `alter table mentions alter column ${column} set data type ${wide} using ${converted(column, known, wide)}`,
      );
      this.#set(name, wide);
    }
    return isOther;
  }

  #set(name: string, type: ColumnType): void {
    this.#types.set(name, type);
    this.#byLowerCase.set(name.toLowerCase(), name);
  }
}

function union(a: ColumnType, b: ColumnType): ColumnType {
  const areNumbers = [a, b].every((one) => one === "BIGINT" || one === "DOUBLE");
  return a === b ? a : areNumbers ? "DOUBLE" : "VARCHAR";
}

/** A column as one of another type. */
export function converted(column: string, from: ColumnType, to: ColumnType): string {
  if (from === to) return column;
  if (to !== "VARCHAR") return `${column}::${to}`;
  // As the service writes times.
  if (from === "TIMESTAMP WITH TIME ZONE")
    return `regexp_replace(strftime(${column}, '%Y-%m-%dT%H:%M:%S.%f'), '\\.?0+$', '') || 'Z'`;
  // A whole number in a column of floats was sent without a point.
  return from === "DOUBLE" ? `regexp_replace(${column}::varchar, '\\.0$', '')` : `${column}::varchar`;
}

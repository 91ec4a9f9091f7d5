import { mapText } from "../../frames/frameColumns.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { cellText } from "../../frames/typeFlags.js";
import type { MemberType } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
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

/** The tables with rows of the service: their operations, and the columns that the corpus adds. */
export const SERVED = {
  mentions: { operation: "mentions", own: ["first_seen", "changed", "vanished", "round"] },
  people: { operation: "person", own: ["resolved", "looked_up"] },
  programs: { operation: "program", own: ["resolved", "looked_up"] },
} as const;
export type ServedTable = keyof typeof SERVED;

/** Names of the directories, of DuckDB's numbers of rows, and of the columns that a batch adds to its rows. */
const TAKEN: ReadonlySet<string> = new Set(
  "year month rowid batch_place batch_reading batch_day batch_content batch_others".split(" "),
);

/** A column of a file of rows: its name on the wire, and its type. */
export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The rows with columns that the database can hold: lists and objects become text. */
export function storable(frame: PolarsFrame): { readonly frame: PolarsFrame; readonly columns: readonly FileColumn[] } {
  const columns = frame.columns.map((name, at) => ({ name, type: STORED[frame.dtypes[at]?.variant ?? ""] }));
  const text = columns.filter(({ type }) => type === undefined);
  return {
    frame: text.reduce((rows, { name }) => mapText(rows, name, cellText), frame),
    columns: columns.map(({ name, type = "VARCHAR" }) => ({ name, type })),
  };
}

/** The columns of a table from the service. They widen to fit new values. SQL ignores the case of names. */
export class ServedColumns {
  /** Columns that the service declares. Only they decide whether a mention has changed. */
  readonly declared: readonly string[];
  readonly #types = new Map<string, ColumnType>();
  readonly #byLowerCase = new Map<string, string>();
  readonly #own: ReadonlySet<string>;

  private constructor(
    readonly database: Database,
    readonly table: ServedTable,
  ) {
    this.declared = Object.keys(operations[SERVED[table].operation].columns);
    this.#own = new Set(SERVED[table].own);
  }

  static async of(database: Database, table: ServedTable): Promise<ServedColumns> {
    const columns = new ServedColumns(database, table);
    const known = await database.rows<FileColumn>(
      `select column_name as name, data_type as type from duckdb_columns() where table_name = '${table}' and schema_name = 'main' order by column_index`,
    );
    for (const { name, type } of known) if (!columns.#own.has(name)) columns.#set(name, type);
    const declared = Object.entries(operations[SERVED[table].operation].columns);
    await columns.widen(declared.map(([name, type]) => ({ name, type: TYPES[type] })));
    return columns;
  }

  /** In the order in which they are published. */
  get names(): string[] {
    const others = [...this.#types.keys()].filter((name) => !this.declared.includes(name));
    return [...this.declared, ...others.sort(byCodeUnit)];
  }

  typeOf(name: string): ColumnType {
    return this.#types.get(name) ?? "VARCHAR";
  }

  /** The name that a column of the service has in the database: not one of the corpus or of the directories. */
  nameOf(name: string): string {
    let free = name.replaceAll("\0", "").slice(0, 1000) || "_";
    if (this.#isTaken(free)) free = `${free}_`;
    while ((this.#byLowerCase.get(free.toLowerCase()) ?? free) !== free) free = `${free}_`;
    return free;
  }

  /** Adds columns, and widens those with new kinds of values: numbers to DOUBLE, anything else to text. All months are published again then: their files have the same columns. */
  async widen(columns: readonly FileColumn[]): Promise<void> {
    let isOther = false;
    for (const { name: sent, type } of columns) {
      const name = this.nameOf(sent);
      const known = this.#types.get(name);
      const wide = known === undefined ? type : union(known, type);
      if (wide === known) continue;
      isOther = true;
      const column = identifier(name);
      await this.database.run(
        known === undefined
          ? `alter table ${this.table} add column if not exists ${column} ${wide}`
          : `alter table ${this.table} alter column ${column} set data type ${wide} using ${converted(column, known, wide)}`,
      );
      this.#set(name, wide);
    }
    if (isOther && this.table === "mentions") await allMonthsAreDirty(this);
  }

  /**
   * The cells of rows for all columns of the table, as SQL.
   *
   * @param sent the columns of a file of rows, as the service names them
   */
  cellsOf(sent: readonly FileColumn[]): string {
    const cells = new Map(
      sent.map(({ name, type }, at) => {
        const own = this.nameOf(name);
        return [own, converted(`c${at}`, type, this.typeOf(own))];
      }),
    );
    return this.names
      .map((name) => `${cells.get(name) ?? `null::${this.typeOf(name)}`} as ${identifier(name)}`)
      .join(", ");
  }

  /** Whether a name, without underscores at its end, is one of the corpus or of the directories. */
  #isTaken(name: string): boolean {
    const plain = name.toLowerCase().replace(/(?<!_)_+$/, "");
    return this.#own.has(plain) || TAKEN.has(plain);
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
function converted(column: string, from: ColumnType, to: ColumnType): string {
  if (from === to) return column;
  if (to !== "VARCHAR") return `${column}::${to}`;
  // As the service writes times.
  if (from === "TIMESTAMP WITH TIME ZONE")
    return `regexp_replace(strftime(${column}, '%Y-%m-%dT%H:%M:%S.%f'), '\\.?0+$', '') || 'Z'`;
  // A whole number in a column of floats was sent without a point.
  return from === "DOUBLE" ? `regexp_replace(${column}::varchar, '\\.0$', '')` : `${column}::varchar`;
}

/** The Hive layout's name for a missing value. */
const NONE = "__HIVE_DEFAULT_PARTITION__";
export const NO_MONTH = `year=${NONE}/month=${NONE}`;

/** `begintime` of a table as a time. The service can send text in which not every time can be read. */
export function timeOf(columns: ServedColumns, table: string): string {
  const isTime = columns.typeOf("begintime") === "TIMESTAMP WITH TIME ZONE";
  return isTime ? `${table}.begintime` : `try_cast(${table}.begintime::varchar as timestamptz)`;
}

const MONTH = "year=%Y/month=%m";

/** The month of a row in UTC, as the name of its directory: `year=2024/month=03`. Times without a zone take a quarter of the CPU. */
export function monthOf(columns: ServedColumns, table: string): string {
  return `coalesce(strftime(${inUtc(columns, table)}, '${MONTH}'), '${NO_MONTH}')`;
}

/** The months of the rows `r` of a query. Formatting each day once takes a third of the CPU. */
export function monthsOf(columns: ServedColumns, rows: string): string {
  return `select distinct coalesce(strftime(day, '${MONTH}'), '${NO_MONTH}') as month
    from (select distinct ${inUtc(columns, "r")}::date as day from ${rows})`;
}

/** Publishes all months again. */
export async function allMonthsAreDirty(columns: ServedColumns): Promise<void> {
  await columns.database.run(`insert or ignore into dirty ${monthsOf(columns, "mentions r")}`);
}

function inUtc(columns: ServedColumns, table: string): string {
  return `make_timestamp(epoch_us(${timeOf(columns, table)}))`;
}

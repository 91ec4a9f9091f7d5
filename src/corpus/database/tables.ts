import { type PolarsFrame, pl } from "../../frames/polars.js";
import { type ResultColumn, resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import type { MemberType } from "../../pages/rows.js";
import meaningsByOperation from "../../service/operations/meanings.json" with { type: "json" };
import { operations } from "../../service/operations/operations.js";

/** A column of a table, in the database and in the published files. */
export interface TableColumn {
  readonly type: ColumnType;
  readonly meaning: string;
  readonly unit?: string | undefined;
}

type ColumnType = keyof typeof DTYPES;

const DTYPES = {
  VARCHAR: pl.String,
  BIGINT: pl.Int64,
  INTEGER: pl.Int32,
  DOUBLE: pl.Float64,
  BOOLEAN: pl.Bool,
  DATE: pl.Date,
  "TIMESTAMP WITH TIME ZONE": TIMESTAMP,
} satisfies Readonly<Record<string, ResultColumn["dtype"]>>;

const TYPES: Readonly<Record<MemberType, ColumnType>> = {
  int: "BIGINT",
  float: "DOUBLE",
  bool: "BOOLEAN",
  string: "VARCHAR",
  datetime: "TIMESTAMP WITH TIME ZONE",
  null: "VARCHAR",
};

/** The operations whose rows a table has. */
export const OPERATIONS = { mentions: "mentions", people: "person", programs: "program" } as const;
export type ServedTable = keyof typeof OPERATIONS;

const DAY = "day in UTC";

/** The columns of the service. Their meanings are the comments of its rows, without examples and formats. */
function served(table: ServedTable): Record<string, TableColumn> {
  const operation = OPERATIONS[table];
  const meanings: Readonly<Record<string, string>> = meaningsByOperation[operation];
  const columns = Object.entries(operations[operation].columns).map(([name, type]): [string, TableColumn] => {
    const meaning = (meanings[name] ?? "").replace(/(: UTC|, for example).*|\.$/, "");
    const unit = type === "datetime" ? "UTC" : meaning.includes("in seconds") ? "s" : undefined;
    return [name, { type: TYPES[type], meaning, unit }];
  });
  const more = { type: "VARCHAR", meaning: "Further members of the row, and values of another type, as JSON" } as const;
  return { ...Object.fromEntries(columns), more };
}

const RUN: TableColumn = { type: "INTEGER", meaning: "The run that changed the row last: the `run` of runs" };
const LOOKED_UP: Readonly<Record<string, TableColumn>> = {
  resolved: { type: "BOOLEAN", meaning: "Whether the service knows this id" },
  looked_up: { type: "DATE", meaning: "Day of the lookup", unit: DAY },
};
const count = (meaning: string): TableColumn => ({ type: "BIGINT", meaning });

/**
 * The tables of the database. They are published as they are: nothing else is remembered. `searches` follows from the definition and the
 * windows, and has a column for each label.
 */
export const TABLES = {
  mentions: {
    ...served("mentions"),
    first_seen: { type: "DATE", meaning: "Day on which a search found the mention first", unit: DAY },
    changed: {
      type: "DATE",
      meaning: "Day on which the present content was found, if it was another before",
      unit: DAY,
    },
    vanished: { type: "DATE", meaning: "Day since when no search finds the mention any more", unit: DAY },
    run: RUN,
  },
  hits: {
    search: { type: "VARCHAR", meaning: "Id of the search: the `search` of searches" },
    id: { type: "VARCHAR", meaning: "Id of the mention: the `id` of mentions" },
    span: { type: "VARCHAR", meaning: "The window that found the mention last: the `span` of windows" },
    first_seen: { type: "DATE", meaning: "Day on which the search found the mention first", unit: DAY },
    vanished: { type: "DATE", meaning: "Day since when the search does not find the mention any more", unit: DAY },
    run: RUN,
  },
  people: { ...served("people"), ...LOOKED_UP },
  programs: { ...served("programs"), ...LOOKED_UP },
  searches: {
    search: { type: "VARCHAR", meaning: "Id of the search, from its parameters" },
    query: { type: "VARCHAR", meaning: "Word or phrase that was searched for" },
    parameters: { type: "VARCHAR", meaning: "Parameters of the search, as JSON" },
    mindate: { type: "DATE", meaning: "First day of the search", unit: "day" },
    maxdate: { type: "DATE", meaning: "Last day of the search", unit: "day" },
    windows: count("Windows of the search"),
    done: count("Windows that have been fetched, and are not to be fetched again"),
    rows: count("Rows that the service returned, in all windows"),
    requests: count("Requests for these rows, without retries"),
    verdict: { type: "VARCHAR", meaning: "Whether the rows are complete, capped by a budget, or stopped by an error" },
    reason: { type: "VARCHAR", meaning: "Code of the error that stopped the search" },
    first_retrieved: { type: "DATE", meaning: "Day on which the first window was fetched", unit: DAY },
    retrieved: { type: "DATE", meaning: "Day on which the last window was fetched", unit: DAY },
  },
  windows: {
    search: { type: "VARCHAR", meaning: "Id of the search: the `search` of searches" },
    span: { type: "VARCHAR", meaning: "Days of the window: a period (2024-03, 2024-W10), or all" },
    request: { type: "VARCHAR", meaning: "Hash of the request: windows with the same one are fetched once" },
    mindate: { type: "DATE", meaning: "First day of the window", unit: "day" },
    maxdate: { type: "DATE", meaning: "Last day of the window", unit: "day" },
    rows: count("Rows that the service returned"),
    requests: count("Requests for these rows, without retries"),
    retrieved: { type: "DATE", meaning: "Day of the last response", unit: DAY },
    run: RUN,
    due: { type: "BOOLEAN", meaning: "Whether the window is to be fetched by the next run" },
    error: { type: "VARCHAR", meaning: "Code of the error that stopped the search" },
    message: { type: "VARCHAR", meaning: "Message of the error" },
  },
  runs: {
    run: { type: "INTEGER", meaning: "Number of the run" },
    began: { type: "TIMESTAMP WITH TIME ZONE", meaning: "When it began", unit: "UTC" },
    ended: { type: "TIMESTAMP WITH TIME ZONE", meaning: "When it ended", unit: "UTC" },
    verb: { type: "VARCHAR", meaning: "build, refresh, plan or remove" },
    verdict: { type: "VARCHAR", meaning: "complete, capped, stopped or killed" },
    reason: { type: "VARCHAR", meaning: "Why it is not complete" },
    requests: count("HTTP requests, retries included"),
    added: count("Mentions that the run has added"),
    changed: count("Mentions whose content the run has changed"),
    vanished: count("Mentions that no search finds any more"),
    returned: count("Mentions that had vanished, and are back"),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, TableColumn>>>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

export function columnsOf(table: TableName): Readonly<Record<string, TableColumn>> {
  return TABLES[table];
}

/** A table without rows, with the columns that it has in any case. */
export function emptyTable(table: TableName): PolarsFrame {
  const columns = Object.entries(columnsOf(table));
  return resultFrame(columns.map(([name, { type }]) => ({ name, values: [], dtype: DTYPES[type] })));
}

import { type PolarsFrame, pl } from "../../frames/polars.js";
import { resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import type { MemberType } from "../../pages/rows.js";
import meaningsByOperation from "../../service/operations/meanings.json" with { type: "json" };
import { operations } from "../../service/operations/operations.js";

/** A column of a table, in the database and in the published files. */
export type TableColumn = readonly [type: keyof typeof TYPES, meaning: string, unit?: string | undefined];

/** The types of columns in SQL and in polars. */
export const TYPES = {
  string: ["VARCHAR", pl.String],
  int: ["BIGINT", pl.Int64],
  float: ["DOUBLE", pl.Float64],
  bool: ["BOOLEAN", pl.Bool],
  datetime: ["TIMESTAMP WITH TIME ZONE", TIMESTAMP],
  null: ["VARCHAR", pl.String],
  date: ["DATE", pl.Date],
  number: ["INTEGER", pl.Int32],
} as const satisfies Readonly<Record<MemberType | "date" | "number", unknown>>;

/** The operations whose rows a table has. */
export const OPERATIONS = { mentions: "mentions", people: "person", programs: "program" } as const;
export type ServiceTable = keyof typeof OPERATIONS;

/** The columns of the service. Their meanings are the comments of its columns, without examples and formats. */
function serviceColumns(table: ServiceTable): Record<string, TableColumn> {
  const operation = OPERATIONS[table];
  const meanings: Readonly<Record<string, string>> = meaningsByOperation[operation];
  const columns = Object.entries(operations[operation].columns).map(([name, type]): [string, TableColumn] => {
    const meaning = (meanings[name] ?? "").replace(/(: UTC|, for example).*|\.$/, "");
    return [name, [type, meaning, type === "datetime" ? "UTC" : meaning.includes("in seconds") ? "s" : undefined]];
  });
  const more = ["string", "Further members of the row, and values of another type, as JSON"] as const;
  return { ...Object.fromEntries(columns), more };
}

const day = (meaning: string): TableColumn => ["date", meaning, "day in UTC"];
const text = (meaning: string): TableColumn => ["string", meaning];
const count = (meaning: string): TableColumn => ["int", meaning];
const SEARCH = text("Id of the search: the `search` of searches");
const RUN: TableColumn = ["number", "The run that changed the row last: the `run` of runs"];
const LOOKUP_COLUMNS: Readonly<Record<string, TableColumn>> = {
  resolved: ["bool", "Whether the service knows this id"],
  looked_up: day("Day of the lookup"),
};

/**
 * The tables of the database, which are published unchanged. Only `searches` is derived, from the definition and the windows, with a column
 * for each label.
 */
const TABLES = {
  mentions: {
    ...serviceColumns("mentions"),
    first_seen: day("Day on which a search found the mention first"),
    changed: day("Day on which the present content was found, if it was another before"),
    vanished: day("Day since when no search finds the mention any more"),
    run: RUN,
  },
  hits: {
    search: SEARCH,
    id: text("Id of the mention: the `id` of mentions"),
    span: text("The window that found the mention last: the `span` of windows"),
    first_seen: day("Day on which the search found the mention first"),
    vanished: day("Day since when the search does not find the mention any more"),
    run: RUN,
  },
  people: { ...serviceColumns("people"), ...LOOKUP_COLUMNS },
  programs: { ...serviceColumns("programs"), ...LOOKUP_COLUMNS },
  searches: {
    search: text("Id of the search, from its parameters"),
    query: text("Word or phrase that was searched for"),
    parameters: text("Parameters of the search, as JSON"),
    windows: count("Windows of the search"),
    done: count("Windows that have been fetched, and are not to be fetched again"),
    rows: count("Rows that the service returned, in all windows"),
    requests: count("Requests for these rows, without retries"),
    verdict: text("Whether the rows are complete, capped by a budget, or stopped by an error"),
    reason: text("Code of the error that stopped the search"),
    first_retrieved: day("Day on which the first window was fetched"),
    retrieved: day("Day on which the last window was fetched"),
  },
  windows: {
    search: SEARCH,
    span: text("Days of the window: a period (2024-03; a week by its Monday), or all"),
    request: text("Hash of the request: windows with the same one are fetched once"),
    mindate: ["date", "First day of the window", "day"],
    maxdate: ["date", "Last day of the window", "day"],
    rows: count("Rows that the service returned"),
    requests: count("Requests for these rows, without retries"),
    retrieved: day("Day of the last response"),
    hash: text("SHA-256 of these rows as sent, as long as the corpus has all of them unchanged"),
    run: RUN,
    due: ["bool", "Whether the window is to be fetched by the next run"],
    error: text("Code of the error that stopped the search"),
    message: text("Message of the error"),
  },
  runs: {
    run: ["number", "Number of the run"],
    began: ["datetime", "When it began", "UTC"],
    ended: ["datetime", "When it ended", "UTC"],
    verb: text("build, refresh or plan"),
    verdict: text("complete, capped, stopped or killed"),
    reason: text("Why it is not complete"),
    requests: count("HTTP requests, retries included"),
    added: count("Mentions that the run has added"),
    changed: count("Mentions whose content the run has changed"),
    vanished: count("Mentions that no search finds any more"),
    returned: count("Mentions that had vanished, and are back"),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, TableColumn>>>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** The columns of a table, in the order of its files. */
export function columnsOf(table: TableName): Array<readonly [name: string, column: TableColumn]> {
  return Object.entries(TABLES[table]);
}

/** A table without rows and labels. */
export function emptyTable(table: TableName): PolarsFrame {
  return resultFrame(columnsOf(table).map(([name, [type]]) => ({ name, values: [], dtype: TYPES[type][1] })));
}

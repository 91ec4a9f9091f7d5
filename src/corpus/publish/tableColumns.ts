import { type PolarsFrame, pl } from "../../frames/polars.js";
import { type ResultColumn, resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import type { MemberType } from "../../pages/rows.js";
import meaningsByOperation from "../../service/operations/meanings.json" with { type: "json" };
import { operations } from "../../service/operations/operations.js";
import { SERVED, type ServedTable } from "../state/columns.js";

/** The tables that describe the archive. */
export const TABLES = ["mentions", "hits", "people", "programs", "searches"] as const;
export type DescribedName = (typeof TABLES)[number];

type Dtype = ResultColumn["dtype"];
/** The dtype of a column, what it means, and the unit of its values. */
type Column = readonly [dtype: Dtype, meaning: string, unit?: string | undefined];

const DTYPES: Readonly<Record<MemberType, Dtype>> = {
  int: pl.Int64,
  float: pl.Float64,
  bool: pl.Bool,
  string: pl.String,
  datetime: TIMESTAMP,
  null: pl.String,
};

/** The columns that the service declares. Their meanings are the comments of its rows. */
function declared(table: ServedTable): Record<string, Column> {
  const { operation } = SERVED[table];
  const meanings: Readonly<Record<string, string>> = meaningsByOperation[operation];
  return Object.fromEntries(
    Object.entries(operations[operation].columns).map(([name, type]) => {
      // Without examples and formats.
      const meaning = (meanings[name] ?? "").replace(/(: UTC|, for example).*|\.$/, "");
      const unit = type === "datetime" ? "UTC" : meaning.includes("in seconds") ? "s" : undefined;
      return [name, [DTYPES[type as MemberType], meaning, unit]];
    }),
  );
}

const DAY = "day in UTC";
const ROUND: Column = [
  pl.Int32,
  "The round that changed the row last: 1 for the first build, more for each refresh or further build",
];
const LOOKED_UP: Readonly<Record<string, Column>> = {
  resolved: [pl.Bool, "Whether the service knows this id"],
  looked_up: [pl.Date, "Day of the lookup", DAY],
};

/** The columns of each table. Those that the service added on its own are not here. */
export const COLUMNS: Readonly<Record<DescribedName, Readonly<Record<string, Column>>>> = {
  mentions: {
    ...declared("mentions"),
    first_seen: [pl.Date, "Day of the first response with the mention", DAY],
    changed: [pl.Date, "Day of the first response with the current content, if there was another before", DAY],
    vanished: [pl.Date, "Day since when no search finds the mention any more", DAY],
    round: ROUND,
  },
  hits: {
    search: [pl.String, "Id of the search: the `search` of searches"],
    span: [pl.String, "The window of the search that has found the mention: the `span` of searches"],
    id: [pl.String, "Id of the mention: the `id` of mentions"],
    begintime: [TIMESTAMP, "Start of the mention", "UTC"],
    first_seen: [pl.Date, "Day of the first response to this search with the mention", DAY],
    vanished: [pl.Date, "Day since when the search does not find the mention any more", DAY],
    round: ROUND,
  },
  people: { ...declared("people"), ...LOOKED_UP },
  programs: { ...declared("programs"), ...LOOKED_UP },
  searches: {
    search: [pl.String, "Id of the search, from its parameters"],
    span: [
      pl.String,
      "The window, the part of the search that one series of requests covers: a period (2024-03, 2024-W10), its first and last day, or all",
    ],
    query: [pl.String, "Word or phrase that was searched for"],
    parameters: [pl.String, "Parameters of the search, as JSON"],
    mindate: [pl.Date, "First day of the window", "day"],
    maxdate: [pl.Date, "Last day of the window", "day"],
    rows: [pl.Int64, "Rows that the service returned"],
    verdict: [pl.String, "Whether the rows are complete"],
    reason: [pl.String, "What is not shown: that the end is the end, or that rows did not move meanwhile"],
    requests: [pl.Int64, "Requests for these rows, without retries"],
    began: [pl.Date, "Day of the first response", DAY],
    retrieved: [pl.Date, "Day of the last response", DAY],
    without_id: [pl.Int64, "Rows without an id"],
    repeated_ids: [pl.Int64, "Rows with the id of another one, and other content"],
    round: [pl.Int64, "The round that asked for it last"],
  },
};

/** A table without rows, with the columns that it has in any case. */
export function emptyTable(table: DescribedName): PolarsFrame {
  const columns = Object.entries(COLUMNS[table]);
  return resultFrame(columns.map(([name, [dtype]]) => ({ name, values: [], dtype })));
}

import meaningsByOperation from "../../../service/operations/meanings.json" with { type: "json" };
import { type DeclaredColumns, operations } from "../../../service/operations/operations.js";
import type { TableName } from "../tableFiles.js";

/** What a column means. */
interface Meaning {
  readonly meaning: string;
  /** Unit of the values. */
  readonly unit?: string;
}

const DAY = "day in UTC";

/** The columns that the service declares. Their meanings are the comments of its rows. */
function declared(operation: "mentions" | "person" | "program"): Record<string, Meaning> {
  const meanings: Readonly<Record<string, string>> = meaningsByOperation[operation];
  const columns: DeclaredColumns = operations[operation].columns;
  return Object.fromEntries(
    Object.entries(columns).map(([name, type]) => {
      // Without examples and formats.
      const meaning = (meanings[name] ?? "").replace(/(: UTC|, for example).*|\.$/, "");
      const unit = type === "datetime" ? "UTC" : meaning.includes("in seconds") ? "s" : undefined;
      return [name, { meaning, ...(unit && { unit }) }];
    }),
  );
}

const ROUND = {
  meaning: "The round that changed the row last: 1 for the first build, more for each refresh or further build",
};

const RESOLVED = {
  resolved: { meaning: "Whether the service knows this id" },
  looked_up: { meaning: "Day of the lookup", unit: DAY },
};

/** The meanings of the columns of each table. Columns that the service added on its own are not here. */
export const MEANINGS: Readonly<Record<TableName, Readonly<Record<string, Meaning>>>> = {
  mentions: {
    ...declared("mentions"),
    content_sha256: { meaning: "SHA-256 of the mention as the service sent it, for `corpus hydrate`" },
    first_seen: { meaning: "Day of the first response with the mention", unit: DAY },
    changed: { meaning: "Day of the first response with the current content, if there was another before", unit: DAY },
    vanished: { meaning: "Day since when no search finds the mention any more", unit: DAY },
    round: ROUND,
  },
  hits: {
    search: { meaning: "Id of the search: the `search` of searches" },
    span: { meaning: "The window of the search that has found the mention: the `span` of searches" },
    id: { meaning: "Id of the mention: the `id` of mentions" },
    begintime: { meaning: "Start of the mention", unit: "UTC" },
    first_seen: { meaning: "Day of the first response to this search with the mention", unit: DAY },
    vanished: { meaning: "Day since when the search does not find the mention any more", unit: DAY },
    round: ROUND,
  },
  people: { ...declared("person"), ...RESOLVED },
  programs: { ...declared("program"), ...RESOLVED },
  searches: {
    search: { meaning: "Id of the search, from its parameters" },
    span: { meaning: "Name of the window, the part of the search that one series of requests covers" },
    query: { meaning: "Word or phrase that was searched for" },
    parameters: { meaning: "Parameters of the search, as JSON" },
    mindate: { meaning: "First day of the window", unit: "day" },
    maxdate: { meaning: "Last day of the window", unit: "day" },
    rows: { meaning: "Rows that the service returned" },
    verdict: { meaning: "Whether the rows are complete" },
    reason: { meaning: "What is not shown: that the end is the end, or that rows did not move meanwhile" },
    requests: { meaning: "Requests for these rows, without retries" },
    began: { meaning: "Day of the first response", unit: DAY },
    retrieved: { meaning: "Day of the last response", unit: DAY },
    without_id: { meaning: "Rows without an id" },
    repeated_ids: { meaning: "Rows with the id of another one, and other content" },
    round: { meaning: "The round that asked for it last" },
  },
  runs: {},
};

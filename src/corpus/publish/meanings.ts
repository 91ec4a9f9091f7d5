import meaningsByOperation from "../../service/operations/meanings.json" with { type: "json" };
import { operations } from "../../service/operations/operations.js";
import { SERVED } from "../state/columns.js";
import type { TableName } from "./tableFiles.js";

/** What a column means, and the unit of its values. */
type Meaning = readonly [meaning: string, unit?: string | undefined];
const DAY = "day in UTC";

/** The columns that the service declares. Their meanings are the comments of its rows. */
function declared(table: keyof typeof SERVED): Record<string, Meaning> {
  const { operation } = SERVED[table];
  const meanings: Readonly<Record<string, string>> = meaningsByOperation[operation];
  return Object.fromEntries(
    Object.entries(operations[operation].columns).map(([name, type]) => {
      // Without examples and formats.
      const meaning = (meanings[name] ?? "").replace(/(: UTC|, for example).*|\.$/, "");
      const unit = type === "datetime" ? "UTC" : meaning.includes("in seconds") ? "s" : undefined;
      return [name, [meaning, unit] as const];
    }),
  );
}

const ROUND: Meaning = [
  "The round that changed the row last: 1 for the first build, more for each refresh or further build",
];
const LOOKED_UP: Readonly<Record<string, Meaning>> = {
  resolved: ["Whether the service knows this id"],
  looked_up: ["Day of the lookup", DAY],
};

/** The meanings of the columns of each table. Columns that the service added on its own are not here. */
export const MEANINGS: Readonly<Record<TableName, Readonly<Record<string, Meaning>>>> = {
  mentions: {
    ...declared("mentions"),
    content_sha256: ["SHA-256 of the mention as the service sent it, for `corpus hydrate`"],
    first_seen: ["Day of the first response with the mention", DAY],
    changed: ["Day of the first response with the current content, if there was another before", DAY],
    vanished: ["Day since when no search finds the mention any more", DAY],
    round: ROUND,
  },
  hits: {
    search: ["Id of the search: the `search` of searches"],
    span: ["The window of the search that has found the mention: the `span` of searches"],
    id: ["Id of the mention: the `id` of mentions"],
    begintime: ["Start of the mention", "UTC"],
    first_seen: ["Day of the first response to this search with the mention", DAY],
    vanished: ["Day since when the search does not find the mention any more", DAY],
    round: ROUND,
  },
  people: { ...declared("people"), ...LOOKED_UP },
  programs: { ...declared("programs"), ...LOOKED_UP },
  searches: {
    search: ["Id of the search, from its parameters"],
    span: ["Name of the window, the part of the search that one series of requests covers"],
    query: ["Word or phrase that was searched for"],
    parameters: ["Parameters of the search, as JSON"],
    mindate: ["First day of the window", "day"],
    maxdate: ["Last day of the window", "day"],
    rows: ["Rows that the service returned"],
    verdict: ["Whether the rows are complete"],
    reason: ["What is not shown: that the end is the end, or that rows did not move meanwhile"],
    requests: ["Requests for these rows, without retries"],
    began: ["Day of the first response", DAY],
    retrieved: ["Day of the last response", DAY],
    without_id: ["Rows without an id"],
    repeated_ids: ["Rows with the id of another one, and other content"],
    round: ["The round that asked for it last"],
  },
  runs: {
    began: ["Begin of the run", "UTC"],
    ended: ["End of the run, null if it was killed", "UTC"],
    verb: ["plan, build or refresh"],
    version: ["Version of archive-frames"],
    requests: ["Requests that were sent, with retries and lookups"],
    verdict: ["complete, capped (by maxRequests), stopped (by an error) or killed"],
    reason: ["Why it did not complete"],
    added: ["Mentions that were new"],
    changed: ["Mentions whose content has changed"],
    vanished: ["Mentions that were not found again"],
    returned: ["Mentions that had vanished and were found again"],
  },
};

import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { rowShape } from "../service/json/rowShape.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { walk } from "../service/paging/walk.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";
import { readRows } from "./readRows.js";

/** A search, and the rows that it has found so far. */
export interface SearchRun {
  readonly search: SpeechSearch;
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[];
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** The searches of a plan by bill, not yet started. Bills with equal searches share one run. */
export function prepareSearches({ bills }: SpeechesPlan, combined: CombinedRecorder): SearchRun[][] {
  const known = new Map<string, SearchRun>();
  return bills.map(({ searches }) =>
    searches.map((search) => {
      const key = JSON.stringify(search.request.query);
      const run = known.get(key) ?? { search, recorder: combined.add(search.request), rows: [] };
      known.set(key, run);
      return run;
    }),
  );
}

/**
 * Runs the searches concurrently, within the limit of the client.
 *
 * @param signal stops all of them
 * @throws ArchiveError of the first search that fails. No search begins after it; rows found so far stay in `searches`
 */
export async function runSearches(
  client: ClientContext,
  plan: SpeechesPlan,
  searches: Iterable<SearchRun>,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  await pMap(searches, (run) => runSearch(client, plan, run, combined, signal), { concurrency: client.concurrency });
}

async function runSearch(
  { requester, redact, output, concurrency }: ClientContext,
  { maxItems, format }: SpeechesPlan,
  { search, recorder, rows }: SearchRun,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { request } = search;
  const pages = walk(request, {
    requester,
    recorder,
    redact,
    shape: () => SHAPE,
    maxItems,
    maxPages: undefined,
    pageSize: output.pageSize,
    ahead: concurrency,
    signals: [signal],
  });
  for await (const page of pages) {
    for (const row of readRows(page, request.path, redact, format === "dataframe")) rows.push(row);
    combined.onPage();
  }
}

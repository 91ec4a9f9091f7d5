import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact } from "../frames/exactJson.js";
import { rowShape } from "../pages/rowShape.js";
import { rowsJson } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { pageRows } from "../service/paging/page.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { walk } from "../service/paging/walk.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";

/** A search, and the rows that it has found so far. */
export interface SearchRun {
  readonly search: SpeechSearch;
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[];
  /** When each row was received, in milliseconds since 1970. */
  readonly times: number[];
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** The searches by bill, not yet started. Bills with equal searches share recorder and rows. */
export function prepareSearches(
  searches: ReadonlyArray<readonly SpeechSearch[]>,
  combined: CombinedRecorder,
): SearchRun[][] {
  const known = new Map<string, SearchRun>();
  return searches.map((ofBill) =>
    ofBill.map((search) => {
      const key = JSON.stringify(search.request.query);
      const shared = known.get(key);
      if (shared !== undefined) return { ...shared, search };
      const run = { search, recorder: combined.add(search.request), rows: [], times: [] };
      known.set(key, run);
      return run;
    }),
  );
}

/** Each run once. Bills may share one under different forms. */
export function distinctRuns(runs: Iterable<SearchRun>): SearchRun[] {
  return [...new Map([...runs].map((run) => [run.recorder, run])).values()];
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
  { maxItems, format, maxRequests }: SpeechesPlan,
  { search, recorder, rows, times }: SearchRun,
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
    ahead: maxRequests === undefined ? concurrency : 0,
    signals: [signal],
  });
  try {
    for await (const page of pages) {
      // Only a frame can hold integers beyond 2^53 exactly.
      const found = format === "dataframe" ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page);
      for (const row of found) {
        rows.push(row);
        times.push(page.receivedAt.getTime());
      }
      combined.onPage();
    }
  } catch (error) {
    // The request budget is used up: the other searches may still be in a cache.
    if (recorder.reason !== "maxRequests" || signal.aborted) throw error;
  }
}

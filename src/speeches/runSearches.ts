import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact, stringifyExact } from "../frames/exactJson.js";
import { rowShape, rowsJson } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";

/** A search, and the rows that it has found so far. */
export interface SearchRun {
  readonly search: SpeechSearch;
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[];
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
      const shared = known.get(key) ?? { search, recorder: combined.add(search.request), rows: [] };
      known.set(key, shared);
      return { ...shared, search };
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
  { search, recorder, rows }: SearchRun,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const pages = paginate(search.request, {
    requester,
    recorder,
    redact,
    shape: () => SHAPE,
    maxItems,
    pageSize: output.pageSize,
    ahead: maxRequests === undefined ? concurrency : 0,
    signals: [signal],
  });
  try {
    for await (const page of pages) {
      // Only a frame can hold integers beyond 2^53 exactly.
      for (const row of format === "dataframe" ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page)) rows.push(row);
      combined.onPage();
    }
  } catch (error) {
    // The request budget is used up: the other searches may still be in a cache.
    if (recorder.reason !== "maxRequests" || signal.aborted) throw error;
  }
}

/** A speech. It appears once, no matter how many searches found it. */
export interface Speech {
  /** Of several versions, that of the last search. */
  readonly row: Row;
  /** The video type in which it was found first. */
  readonly videotype: string;
  /** The queries that found it, in the order of the plan. */
  readonly variants: readonly string[];
  /** Index of the search that found it first. */
  readonly search: number;
  /** A query of the caller found it. */
  readonly isGiven: boolean;
}

/** The speeches on one bill. */
export interface MergedSpeeches {
  readonly speeches: readonly Speech[];
  /** Per search: the number of speeches that no earlier search had found. */
  readonly newRows: readonly number[];
  /** Rows that an earlier search had found already. */
  readonly duplicates: number;
  /** Speeches that several searches found with different contents. */
  readonly changed: number;
  /** Speeches that share their id with another speech but differ from it. */
  readonly conflicts: number;
}

/**
 * Merges the rows that the searches for one bill found, in the order of the plan.
 *
 * A row with the id of a row from another search is the same speech, even if its contents differ: that of the later search counts.
 * Within one search, rows that share an id and differ are different speeches, and none is dropped.
 */
export function mergeSpeeches(searches: readonly SearchRun[]): MergedSpeeches {
  const byId = new Map<string, MergedSpeech[]>();
  const speeches: MergedSpeech[] = [];
  let [duplicates, conflicts] = [0, 0];
  const newRows = searches.map(({ search: { query, videotype, form }, rows }, at) => {
    const before = speeches.length;
    for (const row of rows) {
      const content = stringifyExact(row);
      const id = row.id === null || row.id === undefined || row.id === "" ? content : String(row.id);
      const known = byId.get(id) ?? [];
      byId.set(id, known);
      let speech = known.find((one) => one.content === content) ?? known.find(({ lastSearch }) => lastSearch < at);
      if (speech === undefined) {
        if (known.length > 0) conflicts++;
        const found = { row, content, lastSearch: at, isChanged: false };
        speech = { ...found, videotype, variants: [], search: at, isGiven: false };
        known.push(speech);
        speeches.push(speech);
      } else duplicates++;
      speech.isChanged ||= speech.content !== content;
      speech.isGiven ||= form === "given";
      Object.assign(speech, { row, content, lastSearch: at });
      if (!speech.variants.includes(query)) speech.variants.push(query);
    }
    return speeches.length - before;
  });
  return { speeches, newRows, duplicates, changed: speeches.filter(({ isChanged }) => isChanged).length, conflicts };
}

interface MergedSpeech extends Speech {
  variants: string[];
  isGiven: boolean;
  content: string;
  /** Index of the last search that found it. */
  lastSearch: number;
  /** Searches found it with different contents. */
  isChanged: boolean;
}

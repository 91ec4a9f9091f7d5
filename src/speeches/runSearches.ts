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
import { isPlainObject } from "../util/isObject.js";
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
  const pages = paginate(request, {
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

interface FormYield {
  searches: number;
  speeches: number;
}

/** Remembers, for one client, what each form of a title or number has found, so that a request budget goes to the best. */
export class FormYields {
  readonly #byForm = new Map<string, FormYield>();

  /** Adds the searches of a call: a form has found the speeches that no earlier search of its bill had found. */
  add(runs: readonly SearchRun[], newSpeeches: readonly number[]): void {
    runs.forEach(({ search: { form }, recorder }, at) => {
      if (recorder.pages === 0) return;
      const known = this.#byForm.get(form) ?? { searches: 0, speeches: 0 };
      known.searches++;
      known.speeches += newSpeeches[at] ?? 0;
      this.#byForm.set(form, known);
    });
  }

  of(form: string): Readonly<FormYield> | undefined {
    return this.#byForm.get(form);
  }

  /**
   * The order of forms: those that have found something, most per search first; then those never searched, in the usual
   * order; then those that found nothing. Titles and the number as it was typed come before all.
   */
  order(forms: readonly string[]): string[] {
    const rank = (form: string): number => {
      if (PINNED.has(form)) return Number.POSITIVE_INFINITY;
      const known = this.#byForm.get(form);
      return known === undefined ? 0 : known.speeches === 0 ? -1 : known.speeches / known.searches;
    };
    const ranked = [...new Set(forms)].map((form) => ({ form, rank: rank(form) }));
    return ranked.sort((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank)).map(({ form }) => form);
  }
}

const PINNED = new Set(["given", "title", "repaired title", "as typed"]);

/** A speech. It appears once, no matter how many searches found it. */
export interface Speech {
  /** Of several versions, the one received last. */
  row: Row;
  /** The video type in which it was found first. */
  readonly videotype: string;
  /** The queries that found it, in the order of the plan. */
  readonly variants: string[];
  /** Index of the search that found it first. */
  readonly search: number;
  /** A query of the caller found it. */
  isGiven: boolean;
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
 * A row with the id of a row from another search is the same speech, even if its contents differ: the row received last counts, and
 * of those received at the same time, that of the later search. Within one search the rule of all pages applies: rows that share an
 * id and differ are different speeches, and none is dropped.
 */
export function mergeSpeeches(searches: readonly SearchRun[]): MergedSpeeches {
  const known = new Map<string, KnownSpeech[]>();
  const speeches: Speech[] = [];
  let duplicates = 0;
  let conflicts = 0;
  const newRows = searches.map(({ search: { query, videotype, form }, rows, times }, index) => {
    const before = speeches.length;
    rows.forEach((row, at) => {
      const time = times[at] as number;
      const id = idOf(row);
      const content = stringifyExact(withSortedKeys(row));
      const candidates = known.get(id ?? content) ?? [];
      const match =
        candidates.find((candidate) => candidate.content === content) ??
        candidates.find((candidate) => candidate.lastSearch < index);
      if (match === undefined) {
        const speech: Speech = { row, videotype, variants: [query], search: index, isGiven: form === "given" };
        speeches.push(speech);
        if (candidates.length > 0) conflicts++;
        known.set(id ?? content, [...candidates, { speech, content, time, lastSearch: index, isChanged: false }]);
        return;
      }
      match.lastSearch = index;
      if (match.content !== content) match.isChanged = true;
      if (time >= match.time) {
        match.speech.row = row;
        match.content = content;
        match.time = time;
      }
      if (form === "given") match.speech.isGiven = true;
      duplicates++;
      if (!match.speech.variants.includes(query)) match.speech.variants.push(query);
    });
    return speeches.length - before;
  });
  const changed = [...known.values()].flat().filter(({ isChanged }) => isChanged).length;
  return { speeches, newRows, duplicates, changed, conflicts };
}

interface KnownSpeech {
  readonly speech: Speech;
  content: string;
  time: number;
  /** Index of the last search that found it. */
  lastSearch: number;
  isChanged: boolean;
}

function idOf({ id }: Row): string | undefined {
  const hasId = typeof id === "number" || typeof id === "bigint" || (typeof id === "string" && id !== "");
  return hasId ? String(id) : undefined;
}

/** A copy with the keys of all objects in one order, so that equal rows have equal JSON. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withSortedKeys(member)]));
}

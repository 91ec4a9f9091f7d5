import { isDeepStrictEqual } from "node:util";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact, stringifyExact } from "../frames/exactJson.js";
import { rowShape, rowsJson } from "../pages/rows.js";
import type { Row } from "../service/operations/interfaces.js";
import { operations } from "../service/operations/operations.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";

/** A search for one bill. Equal searches of several bills, which may have different forms, share the reader. */
export interface SearchRun extends Pick<SearchReader, "recorder" | "rows"> {
  readonly search: SpeechSearch;
  readonly reader: SearchReader;
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** Whether a bounded search found more than a page, so that others take its place. */
export function isCut({ search, recorder, rows }: SearchRun): boolean {
  const isCapped = recorder.verdict === "capped" && recorder.reason === "maxItems";
  return isBounded(search) && isCapped && recorder.rows === rows.length;
}

/** Whether searches of one type take the place of a search of all types: it was cut, or its rows do not say their types. */
export function isReplaced(run: SearchRun): boolean {
  if (isCut(run)) return true;
  if (run.search.videotype === undefined) for (const { videoTypeId } of run.rows) if (videoTypeId == null) return true;
  return false;
}

/** Whether a search may find much else, because it covers all video types or a part of the title. It ends after a page. */
function isBounded({ videotype, part, isWide }: SpeechSearch): boolean {
  return videotype === undefined || (part === "title" && isWide === true);
}

export function distinctRuns(runs: Iterable<SearchRun>): SearchRun[] {
  return [...new Map([...runs].map((run) => [run.reader, run])).values()];
}

/**
 * Reads the pages of a search: the first one, and then the others, unless other searches find the same. What the call searches next depends on
 * the first pages alone, so that it does not wait for the request that confirms the end of a search.
 */
export class SearchReader {
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[] = [];
  readonly #pages: ReturnType<typeof paginate>;
  /** Rows behind the first page. With a budget, one request follows another, and they count at once. */
  readonly #more: Row[];
  readonly #isBounded: boolean;

  constructor(
    { requester, redact, output }: ClientContext,
    { maxItems, format, maxRequests }: SpeechesPlan,
    search: SpeechSearch,
    readonly combined: CombinedRecorder,
    readonly signal: AbortSignal,
    readonly isFrame = format === "dataframe",
  ) {
    this.recorder = combined.add(search.request);
    this.#more = maxRequests === undefined ? [] : this.rows;
    this.#isBounded = isBounded(search);
    this.#pages = paginate(search.request, {
      requester,
      recorder: this.recorder,
      redact,
      shape: () => SHAPE,
      maxItems: maxItems ?? (search.isProbe ? 1 : isBounded(search) ? output.pageSize.full : undefined),
      pageSize: output.pageSize,
      ahead: ({ tape }) => maxRequests === undefined && tape.rows >= output.pageSize.full,
      signals: [signal],
    });
  }

  /** The first page; of a bounded search all pages, since whether it was cut decides what is searched next. */
  async first(): Promise<void> {
    await this.#read(this.rows);
    while (this.#isBounded && (await this.#read(this.rows)));
  }

  /** Reads the other pages. */
  async rest(): Promise<void> {
    while (await this.#read(this.#more));
  }

  /** Sends no further request, and counts the rows behind the first page. */
  async close(): Promise<void> {
    await this.#pages.return();
    if (this.#more !== this.rows) this.rows.push(...this.#more.splice(0));
  }

  /** Reads no further page: other searches find what this one finds. */
  async end(reason: string): Promise<void> {
    await this.#pages.return();
    if (this.recorder.verdict === "stopped") this.recorder.end("capped", reason);
  }

  async #read(rows: Row[]): Promise<boolean> {
    try {
      const { value: page, done } = await this.#pages.next();
      if (done === true || page === undefined) return false;
      // Only a frame can hold integers beyond 2^53 exactly.
      for (const row of this.isFrame ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page)) rows.push(row);
      this.combined.onPage();
      return true;
    } catch (error) {
      // The request budget is used up: the other searches may still be in a cache.
      if (this.recorder.reason !== "maxRequests" || this.signal.aborted) throw error;
      return false;
    }
  }
}

/** Why the end of a search is not confirmed. */
export const SAME_FORM = "another search finds the same";

const [SPEECH, DEBATE] = ["16", "18"];

/** A speech. It appears once, no matter how many searches found it. */
export interface Speech {
  /** The version of the last search that found it. */
  row: Row;
  /** The video type in which it was found first. */
  readonly videotype: string;
  /** The queries that found it, in the order of the plan. */
  readonly variants: string[];
  /** Indexes of the searches that found it first and last. */
  readonly search: number;
  lastSearch: number;
  isChanged: boolean;
  /** A query of the caller found it. */
  isGiven: boolean;
  /** Only queries found it that find more than the bill. */
  isWide: boolean;
}

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
  /** Mentions of other video types, which a search of all types has found. */
  readonly otherTypes: number;
}

/**
 * The video types by the numbers in rows, learned from searches of one type. The first type with a number counts. The service is known to
 * number debates 18; one that numbers speeches 16 needs no request to show that.
 *
 * @param before what was known
 */
export function videoTypesOf(searches: Iterable<SearchRun>, before: ReadonlyMap<string, string>): Map<string, string> {
  const types = new Map(before);
  for (const { search, rows } of searches) {
    if (search.videotype === undefined) continue;
    for (const { videoTypeId } of rows) {
      const number = String(videoTypeId ?? "");
      if (number === "" || types.has(number)) continue;
      types.set(number, search.videotype);
      if (number === SPEECH && search.videotype === "Speech" && ![...types.values()].includes("Debate"))
        types.set(DEBATE, "Debate");
    }
  }
  return types;
}

/**
 * Merges the rows that the searches for one bill found, in the order of the plan.
 *
 * A row with the id of a row from another search is the same speech, even if its contents differ: that of the later search counts.
 * Within one search, rows that share an id and differ are different speeches, and none is dropped.
 *
 * @param types the wanted video types by the numbers that rows have
 */
export function mergeSpeeches(searches: readonly SearchRun[], types: ReadonlyMap<string, string>): MergedSpeeches {
  const byId = new Map<string, Speech[]>();
  const speeches: Speech[] = [];
  const otherTypes = new Set<string>();
  let [duplicates, conflicts, changed] = [0, 0, 0];
  const newRows = searches.map(({ search: { query, videotype: searched, form, isWide }, rows }, at) => {
    const before = speeches.length;
    for (const row of rows) {
      const id = row.id === null || row.id === undefined || row.id === "" ? stringifyExact(row) : String(row.id);
      const videotype = searched ?? types.get(String(row.videoTypeId));
      if (videotype === undefined) {
        if (otherTypes.has(id)) duplicates++;
        otherTypes.add(id);
        continue;
      }
      const known = byId.get(id);
      const same = known?.find((one) => one.row === row || isDeepStrictEqual(one.row, row));
      let speech = same ?? known?.find(({ lastSearch }) => lastSearch < at);
      if (speech === undefined) {
        const found = { lastSearch: at, isChanged: false, isGiven: false, isWide: true };
        speech = { row, videotype, variants: [], search: at, ...found };
        byId.set(id, [...(known ?? []), speech]);
        if (known !== undefined) conflicts++;
        speeches.push(speech);
      } else {
        duplicates++;
        if (same === undefined && !speech.isChanged) changed++;
        speech.isChanged ||= same === undefined;
      }
      speech.isGiven ||= form === "given";
      speech.isWide &&= isWide === true;
      speech.row = row;
      speech.lastSearch = at;
      if (!speech.variants.includes(query)) speech.variants.push(query);
    }
    return speeches.length - before;
  });
  // A service that ignores the type may have shown them in a search of one type, too.
  for (const id of byId.keys()) if (otherTypes.delete(id)) duplicates++;
  return { speeches, newRows, duplicates, changed, conflicts, otherTypes: otherTypes.size };
}

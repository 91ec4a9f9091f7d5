import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact } from "../frames/exactJson.js";
import { rowShape, rowsJson } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";

/** A search for one bill. Equal searches of several bills, which may have different forms, share the reader. */
export interface SearchRun {
  readonly search: SpeechSearch;
  readonly reader: SearchReader;
}

const SHAPE = rowShape(Object.entries(operations.mentions.columns));

/** Whether a search may find much else, because it covers all video types or a part of the title. It ends after a page. */
function isBounded({ videotype, covers }: SpeechSearch): boolean {
  return videotype === undefined || covers !== undefined;
}

/** Whether others take the place of a search: it found more than a page, or rows that do not say their types. */
export function isReplaced({ search, reader: { recorder, rows } }: SearchRun): boolean {
  if (isBounded(search) && recorder.verdict === "capped" && recorder.reason === "maxItems") return true;
  return search.videotype === undefined && rows.some(({ videoTypeId }) => videoTypeId == null);
}

/** Reads the pages of a search: the first one, which decides what is searched next, and then the others. */
export class SearchReader {
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[] = [];
  /** How many of the rows the first page had. */
  firstRows = 0;
  readonly #pages: ReturnType<typeof paginate>;

  constructor(
    { requester, redact, output }: ClientContext,
    { maxItems, format, maxRequests }: SpeechesPlan,
    search: SpeechSearch,
    readonly combined: CombinedRecorder,
    readonly signal: AbortSignal,
    readonly isFrame = format === "dataframe",
  ) {
    this.recorder = combined.add(search.request);
    this.#pages = paginate(search.request, {
      requester,
      recorder: this.recorder,
      redact,
      shape: () => SHAPE,
      maxItems: maxItems ?? (isBounded(search) ? output.pageSize.full : undefined),
      pageSize: output.pageSize,
      ahead: ({ tape }) => maxRequests === undefined && tape.rows >= output.pageSize.full,
      signals: [signal],
    });
  }

  readonly first = once(async () => {
    await this.#read();
    this.firstRows = this.rows.length;
  });

  readonly others = once(async () => {
    while (await this.#read());
  });

  /** Sends no further request. */
  async close(): Promise<void> {
    await this.#pages.return();
  }

  async #read(): Promise<boolean> {
    try {
      const { value: page, done } = await this.#pages.next();
      if (done === true || page === undefined) return false;
      // Only a frame can hold integers beyond 2^53 exactly.
      for (const row of this.isFrame ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page)) this.rows.push(row);
      this.combined.onPage();
      return true;
    } catch (error) {
      // The request budget is used up: the other searches may still be in a cache.
      if (this.recorder.reason !== "maxRequests" || this.signal.aborted) throw error;
      return false;
    }
  }
}

/** Several bills may wait for the same pages. */
function once(read: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

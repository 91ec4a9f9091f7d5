import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact } from "../frames/exactJson.js";
import { rowShape, rowsJson } from "../pages/rows.js";
import type { Row } from "../service/operations/interfaces.js";
import { operations } from "../service/operations/operations.js";
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

/** Reads the pages of a search: the first one, which decides what is searched next, and then the others. */
export class SearchReader {
  readonly recorder: ProvenanceRecorder;
  readonly rows: Row[] = [];
  firstPage: readonly Row[] = [];
  readonly #pages: ReturnType<typeof paginate>;

  constructor(
    { requester, redact, output }: ClientContext,
    { maxItems, format }: SpeechesPlan,
    search: SpeechSearch,
    readonly combined: CombinedRecorder,
    signal: AbortSignal,
    readonly isFrame = format === "dataframe",
  ) {
    this.recorder = combined.add(search.request);
    this.#pages = paginate(search.request, {
      requester,
      recorder: this.recorder,
      redact,
      shape: () => SHAPE,
      maxItems,
      pageSize: output.pageSize,
      ahead: ({ tape }) => tape.rows >= output.pageSize.full,
      signals: [signal],
    });
  }

  readonly first = once(async () => {
    await this.#read();
    this.firstPage = [...this.rows];
  });

  readonly others = once(async () => {
    while (await this.#read());
  });

  /** Sends no further request. */
  async close(): Promise<void> {
    await this.#pages.return();
  }

  async #read(): Promise<boolean> {
    const { value: page, done } = await this.#pages.next();
    if (done === true || page === undefined) return false;
    // Only a frame can hold integers beyond 2^53 exactly.
    for (const row of this.isFrame ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page)) this.rows.push(row);
    this.combined.onPage();
    return true;
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

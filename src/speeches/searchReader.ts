import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact } from "../frames/exactJson.js";
import { rowSchema, rowsJson } from "../pages/rows.js";
import { operations, type Row } from "../service/operations/operations.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import type { SpeechesPlan, SpeechSearch } from "./planSpeeches.js";

/** A search for one bill. Equal searches for several bills share a reader. */
export interface SearchRun {
  readonly search: SpeechSearch;
  readonly reader: SearchReader;
}

const SCHEMA = rowSchema(Object.entries(operations.mentions.columns));

/** Reads the pages of a search: first the one that decides what is searched next, then the others. */
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
      schema: () => SCHEMA,
      maxItems,
      pageSize: output.pageSize,
      ahead: ({ records }) => records.rows >= output.pageSize.full,
      signals: [signal],
    });
  }

  readonly readFirst = once(async () => {
    await this.#read();
    this.firstPage = [...this.rows];
  });

  readonly readOthers = once(async () => {
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

/** Runs a task once, although several bills may wait for it. */
function once(read: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

/**
 * Whether an earlier search also covers a query, as "5376" covers "5,376" for some services: its first page has a text with the words of
 * the query but without its own.
 */
export function isCovered(query: string, runs: readonly SearchRun[]): boolean {
  const words = phrasePattern(query);
  return runs.some(({ search, reader }) => {
    const earlier = phrasePattern(search.query);
    return reader.firstPage.some(({ text }) => typeof text === "string" && words.test(text) && !earlier.test(text));
  });
}

/** Matches a phrase to the letter, but not as a part of words: the service may or may not split "S.2410". */
function phrasePattern(query: string): RegExp {
  const letters = query.replaceAll('"', "").replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const phrase = letters.replace(/\s+/g, String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}]\.?)${phrase}(?!['’,.]?[\p{L}\p{N}])`, "iu");
}

/**
 * The video types by their numbers. Requests name a type, but rows have its number, and only that of debates is documented. Every call
 * learns the others from a search of one type.
 */
export class VideoTypes {
  readonly #names = new Map([["18", "Debate"]]);

  constructor(readonly searchedTypes: readonly string[]) {}

  /** The searched types whose number is unknown. */
  get unknownTypes(): readonly string[] {
    const names = new Set(this.#names.values());
    return this.searchedTypes.length === 1 ? [] : this.searchedTypes.filter((type) => !names.has(type));
  }

  /** The type of a row, if it is searched. */
  typeOf({ videoTypeId }: Row): string | undefined {
    const name = this.#names.get(String(videoTypeId));
    return name !== undefined && this.searchedTypes.includes(name) ? name : undefined;
  }

  /** Learns from searches of one type. */
  learn(runs: readonly SearchRun[]): void {
    for (const { search, reader } of runs)
      for (const { videoTypeId } of search.videotype === undefined ? [] : reader.rows)
        if (videoTypeId != null && !this.#names.has(String(videoTypeId)))
          this.#names.set(String(videoTypeId), search.videotype as string);
  }

  /** The number of rows of a search of all types whose type is unknown. */
  untypedRows({ search, reader }: SearchRun): number {
    if (search.videotype !== undefined) return 0;
    const isUntyped = (number: unknown) =>
      number == null || (this.unknownTypes.length > 0 && !this.#names.has(String(number)));
    return reader.rows.filter(({ videoTypeId }) => isUntyped(videoTypeId)).length;
  }
}

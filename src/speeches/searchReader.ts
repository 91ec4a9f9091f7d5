import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { parseExact } from "../frames/exactJson.js";
import { rowShape, rowsJson } from "../pages/rows.js";
import { operations, type Row } from "../service/operations/operations.js";
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

/**
 * Whether the service takes a query for one that was sent: that one has found a text that has the words of the query and not its own, as
 * "5,376" for "5376".
 */
export function isFoundByOther(query: string, runs: readonly SearchRun[]): boolean {
  const spelled = spelledAs(query);
  return runs.some(({ search, reader }) => {
    const sent = spelledAs(search.query);
    return reader.firstPage.some(({ text }) => typeof text === "string" && spelled.test(text) && !sent.test(text));
  });
}

/** Matches a phrase to the letter, but not as a part of words: the service may or may not split "S.2410". */
function spelledAs(query: string): RegExp {
  const letters = query.replaceAll('"', "").replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const phrase = letters.replace(/\s+/g, String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}]\.?)${phrase}(?!['’,.]?[\p{L}\p{N}])`, "iu");
}

/**
 * The video types by the numbers that rows have. A request names the type and a row has its number; only that of debates is known.
 * The others are learned in every call, from a search of one type with the query of a search of all types.
 */
export class VideoTypes {
  readonly #names = new Map([["18", "Debate"]]);

  constructor(readonly searched: readonly string[]) {}

  /** The searched types whose number is not known. */
  get missing(): readonly string[] {
    const names = new Set(this.#names.values());
    return this.searched.length === 1 ? [] : this.searched.filter((type) => !names.has(type));
  }

  /** The type of a row, if it is searched. */
  of({ videoTypeId }: Row): string | undefined {
    const name = this.#names.get(String(videoTypeId));
    return name !== undefined && this.searched.includes(name) ? name : undefined;
  }

  /** Learns from searches of one type. */
  learn(runs: readonly SearchRun[]): void {
    for (const { search, reader } of runs)
      for (const { videoTypeId } of search.videotype === undefined ? [] : reader.rows)
        if (videoTypeId != null && !this.#names.has(String(videoTypeId)))
          this.#names.set(String(videoTypeId), search.videotype as string);
  }

  /** The rows of a search of all types that may be of a searched type or not. */
  unclearRows({ search, reader }: SearchRun): number {
    if (search.videotype !== undefined) return 0;
    const isUnclear = (number: unknown) =>
      number == null || (this.missing.length > 0 && !this.#names.has(String(number)));
    return reader.rows.filter(({ videoTypeId }) => isUnclear(videoTypeId)).length;
  }
}

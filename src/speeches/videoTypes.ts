import type { Row } from "../service/operations/rows.js";
import { isReplaced, type SearchRun } from "./searchReader.js";

/** A type that is not searched. */
const OTHER = "";

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

  get isComplete(): boolean {
    return this.missing.length === 0;
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
        this.#add(videoTypeId, search.videotype as string);
  }

  /** The search of all types with the most rows whose type is not clear. */
  unclear(runs: readonly SearchRun[]): SearchRun | undefined {
    if (this.isComplete) return undefined;
    const counted = runs.map((run) => {
      const rows = run.search.videotype === undefined && !isReplaced(run) ? run.reader.rows : [];
      return { run, rows: rows.filter(({ videoTypeId }) => !this.#names.has(String(videoTypeId))).length };
    });
    return counted.reduce((most, one) => (one.rows > most.rows ? one : most), { run: undefined, rows: 0 } as {
      run: SearchRun | undefined;
      rows: number;
    }).run;
  }

  /** A row that the searches of the single types did not find, is of another one. */
  settle(runs: readonly SearchRun[], typed: SearchRun | undefined): void {
    this.learn(runs);
    for (const { videoTypeId } of typed?.reader.rows ?? []) this.#add(videoTypeId, OTHER);
  }

  #add(videoTypeId: unknown, type: string): void {
    const number = String(videoTypeId ?? "");
    if (number !== "" && !this.#names.has(number)) this.#names.set(number, type);
  }
}

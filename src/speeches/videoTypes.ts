import type { Row } from "../service/operations/interfaces.js";
import type { SearchRun } from "./searchReader.js";

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

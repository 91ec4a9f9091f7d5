import { isDeepStrictEqual } from "node:util";
import { stringifyExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/operations.js";
import type { SearchRun } from "./searchReader.js";

/** A speech, which several searches may have found. */
export interface Speech {
  /** The version of the last search that found it. */
  row: Row;
  /** The video type in which it was found first. */
  readonly videotype: string;
  /** The queries that found it, in the order of the plan. */
  readonly variants: string[];
  /** The index of the last search that found it. */
  lastSearch: number;
}

export interface MergedSpeeches {
  readonly speeches: readonly Speech[];
  /** Per search: the rows that no earlier search had found. */
  readonly newRows: readonly number[];
  /** Rows that an earlier search had found already. */
  readonly duplicates: number;
  /** Speeches that share their id with another speech but differ from it. */
  readonly conflicts: number;
  /** Mentions of other video types, found by a search of all types. */
  readonly otherTypes: number;
}

/**
 * Merges the rows of the searches for one bill, in the order of the plan.
 *
 * Rows of different searches with the same id are the same speech, even if they differ: the last one counts.
 * Within one search, rows that share an id and differ are different speeches, and none is dropped.
 *
 * @param typeOf the video type of a row of a search of all types; undefined for a type that is not searched
 * @param onlyFirst merge only the first pages
 */
export function mergeSpeeches(
  runs: readonly SearchRun[],
  typeOf: (row: Row) => string | undefined,
  onlyFirst = false,
): MergedSpeeches {
  const byId = new Map<string, Speech[]>();
  const speeches: Speech[] = [];
  const otherTypes = new Set<string>();
  let [duplicates, conflicts] = [0, 0];
  const newRows = runs.map(({ search, reader }, at) => {
    const before = speeches.length + otherTypes.size;
    const { query } = search;
    for (const row of onlyFirst ? reader.firstPage : reader.rows) {
      const id = row.id === null || row.id === undefined || row.id === "" ? stringifyExact(row) : String(row.id);
      const sameId = byId.get(id) ?? [];
      const videotype = search.videotype ?? typeOf(row);
      if (videotype === undefined) {
        if (sameId.length > 0 || otherTypes.has(id)) duplicates++;
        else otherTypes.add(id);
        continue;
      }
      let speech =
        sameId.find((one) => one.row === row || isDeepStrictEqual(one.row, row)) ??
        sameId.find(({ lastSearch }) => lastSearch < at);
      if (speech === undefined) {
        speech = { row, videotype, variants: [], lastSearch: at };
        byId.set(id, [...sameId, speech]);
        if (sameId.length > 0) conflicts++;
        // A service that ignores the type returns this row in a search of one type, too.
        if (otherTypes.delete(id)) duplicates++;
        speeches.push(speech);
      } else duplicates++;
      speech.row = row;
      speech.lastSearch = at;
      if (!speech.variants.includes(query)) speech.variants.push(query);
    }
    return speeches.length + otherTypes.size - before;
  });
  return { speeches, newRows, duplicates, conflicts, otherTypes: otherTypes.size };
}

import { isDeepStrictEqual } from "node:util";
import { stringifyExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/operations.js";
import type { SearchRun } from "./searchReader.js";

/** A speech. It appears once, no matter how many searches found it. */
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
  /** Mentions of other video types, which a search of all types has found. */
  readonly otherTypes: number;
}

/**
 * Merges the rows that the searches for one bill found, in the order of the plan.
 *
 * A row with the id of a row from another search is the same speech, even if its contents differ: that of the later search counts.
 * Within one search, rows that share an id and differ are different speeches, and none is dropped.
 *
 * @param typeOf the video type of a row that a search of all types found; undefined for a type that is not searched
 * @param onlyFirst merge the first pages
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
    const { query, videotype: searched } = search;
    for (const row of onlyFirst ? reader.firstPage : reader.rows) {
      const id = row.id === null || row.id === undefined || row.id === "" ? stringifyExact(row) : String(row.id);
      const sameId = byId.get(id) ?? [];
      const videotype = searched ?? typeOf(row);
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
        // A service that ignores the type shows a row of another type in a search of one type, too.
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

import { stringifyExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/rows.js";
import { isPlainObject } from "../util/isObject.js";
import type { SearchRun } from "./runSearches.js";

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

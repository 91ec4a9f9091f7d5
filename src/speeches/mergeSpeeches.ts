import { stringifyExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/rows.js";
import { isPlainObject } from "../util/isObject.js";
import type { SearchRun } from "./runSearches.js";

/** A speech. It appears once, no matter how many searches found it. */
export interface Speech {
  readonly row: Row;
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
  /** Speeches that share their id with another speech but differ from it. */
  readonly conflicts: number;
}

/**
 * Merges the rows that the searches for one bill found, in the order of the plan.
 *
 * A row with the id of a row from an earlier search is the same speech, even if the service returns another excerpt of
 * it. Within one search the rule of every walk applies: rows that share an id and differ are different speeches, and none
 * is dropped.
 */
export function mergeSpeeches(searches: readonly SearchRun[]): MergedSpeeches {
  const known = new Map<string, KnownSpeech[]>();
  const speeches: Speech[] = [];
  let duplicates = 0;
  let conflicts = 0;
  const newRows = searches.map(({ search: { query, videotype, form }, rows }, index) => {
    const before = speeches.length;
    for (const row of rows) {
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
        known.set(id ?? content, [...candidates, { speech, content, lastSearch: index }]);
        continue;
      }
      match.lastSearch = index;
      if (form === "given") match.speech.isGiven = true;
      duplicates++;
      if (!match.speech.variants.includes(query)) match.speech.variants.push(query);
    }
    return speeches.length - before;
  });
  return { speeches, newRows, duplicates, conflicts };
}

interface KnownSpeech {
  readonly speech: Speech;
  readonly content: string;
  /** Index of the last search that found it. */
  lastSearch: number;
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

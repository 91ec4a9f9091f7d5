import { stringifyExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/rows.js";
import { isPlainObject } from "../util/isObject.js";
import type { Finding } from "./findSpeeches.js";

/** A speech, once, whatever number of searches found it. */
export interface Speech {
  readonly row: Row;
  /** The type of video in which it was first found. */
  readonly videotype: string;
  /** The queries that found it, in the order of the plan. */
  readonly variants: string[];
}

/** The speeches of one bill. */
export interface Merged {
  readonly speeches: readonly Speech[];
  /** Speeches that no earlier search had found, by search. */
  readonly fresh: readonly number[];
  /** Rows that an earlier search had brought already. */
  readonly duplicates: number;
  /** Speeches that share the id of another and differ from it. */
  readonly conflicts: number;
}

/**
 * Merges the findings of one bill, in the order of the plan.
 *
 * A row that an earlier search has found by the same id is the same speech, even if the service returns another part of it. Within one
 * search the rule of every walk holds: rows that share an id and differ are different speeches, and none is dropped.
 */
export function mergeSpeeches(findings: readonly Finding[]): Merged {
  const known = new Map<string, Known[]>();
  const speeches: Speech[] = [];
  let duplicates = 0;
  let conflicts = 0;
  const fresh = findings.map(({ search: { query, videotype }, rows }, search) => {
    const before = speeches.length;
    for (const row of rows) {
      const id = idOf(row);
      const content = stringifyExact(sorted(row));
      const same = known.get(id ?? content) ?? [];
      const found = same.find((one) => one.content === content) ?? same.find((one) => one.search < search);
      if (found === undefined) {
        const speech: Speech = { row, videotype, variants: [query] };
        speeches.push(speech);
        if (same.length > 0) conflicts++;
        known.set(id ?? content, [...same, { speech, content, search }]);
        continue;
      }
      found.search = search;
      duplicates++;
      if (!found.speech.variants.includes(query)) found.speech.variants.push(query);
    }
    return speeches.length - before;
  });
  return { speeches, fresh, duplicates, conflicts };
}

/** A speech with the last search that found it. */
interface Known {
  readonly speech: Speech;
  readonly content: string;
  search: number;
}

function idOf({ id }: Row): string | undefined {
  const hasId = typeof id === "number" || typeof id === "bigint" || (typeof id === "string" && id !== "");
  return hasId ? String(id) : undefined;
}

/** A value with the members of its objects in one order, so that equal rows have equal text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

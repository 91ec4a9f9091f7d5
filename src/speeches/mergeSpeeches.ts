import { stringifyExact } from "../frames/exactJson.js";
import { isPlainObject } from "../frames/isPlainObject.js";
import type { Row } from "../service/operations/operations.js";
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
}

/** Brings the findings of one bill together, in the order of the plan: the identity of a speech is its id. */
export function mergeSpeeches(findings: readonly Finding[]): Merged {
  const known = new Map<string, Speech>();
  let duplicates = 0;
  const fresh = findings.map(({ search: { query, videotype }, rows }) => {
    const before = known.size;
    for (const row of rows) {
      const key = identity(row);
      const speech = known.get(key);
      if (speech === undefined) {
        known.set(key, { row, videotype, variants: [query] });
        continue;
      }
      duplicates++;
      if (!speech.variants.includes(query)) speech.variants.push(query);
    }
    return known.size - before;
  });
  return { speeches: [...known.values()], fresh, duplicates };
}

/** The id of a row; a row without one is compared whole, whatever the order of its members. */
function identity(row: Row): string {
  const { id } = row;
  const hasId = typeof id === "number" || typeof id === "bigint" || (typeof id === "string" && id !== "");
  return hasId ? String(id) : stringifyExact(sorted(row));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

import { isDeepStrictEqual } from "node:util";
import type { Row } from "../service/operations/rows.js";
import { openForReading } from "./openSnapshot.js";
import type { ResponseStore } from "./responseStore.js";
import { type StoredSearch, searchesOf, storedRows } from "./storedSearches.js";

/** A row that changed between two snapshots. */
export interface ChangedRow {
  /** Id of the row. */
  readonly id: string;
  /** The row in the older snapshot. */
  readonly before: Row;
  /** The row in the newer snapshot. */
  readonly after: Row;
  /** The members that differ. */
  readonly members: readonly string[];
}

/** The changes of one search between two snapshots. */
export interface SearchDiff {
  /** The search without its page: `/mentions?query=climate`. */
  readonly search: string;
  /** Rows in the older snapshot; null if it does not contain the search. */
  readonly before: number | null;
  /** Rows in the newer snapshot; null if it does not contain the search. */
  readonly after: number | null;
  /** Rows that only the newer snapshot has. */
  readonly added: readonly Row[];
  /** Rows that only the older snapshot has. */
  readonly removed: readonly Row[];
  /** Rows with the same id and other values. */
  readonly changed: readonly ChangedRow[];
}

/**
 * Compares two snapshots: the rows of each search that were added, removed or changed, matched by id. If a request was
 * recorded several times, the newest response counts.
 *
 * @param before directory of the older snapshot
 * @param after directory of the newer snapshot
 * @returns every search of either snapshot, sorted by name, including unchanged ones
 * @throws SnapshotError
 * @example
 * const [first] = await diffSnapshots("2025/", "2026/");
 * first?.added.length; //=> 12
 */
export async function diffSnapshots(before: string, after: string): Promise<SearchDiff[]> {
  const [old, current] = [openForReading(before), openForReading(after)];
  const oldSearches = byName(old);
  const newSearches = byName(current);
  const names = [...new Set([...oldSearches.keys(), ...newSearches.keys()])].sort();
  const diffs: SearchDiff[] = [];
  for (const search of names) {
    const one = await rowsIn(old, oldSearches.get(search));
    const other = await rowsIn(current, newSearches.get(search));
    diffs.push(difference(search, one, other));
  }
  return diffs;
}

function byName(store: ResponseStore): Map<string, StoredSearch> {
  return new Map(searchesOf(store).map((search) => [search.search, search]));
}

async function rowsIn(store: ResponseStore, search: StoredSearch | undefined): Promise<Map<string, Row> | undefined> {
  return search && (await storedRows(store, search));
}

type Rows = ReadonlyMap<string, Row>;

function difference(search: string, one: Rows | undefined, other: Rows | undefined): SearchDiff {
  const [before, after] = [one ?? new Map<string, Row>(), other ?? new Map<string, Row>()];
  return {
    search,
    before: one === undefined ? null : before.size,
    after: other === undefined ? null : after.size,
    added: [...after].filter(([id]) => !before.has(id)).map(([, row]) => row),
    removed: [...before].filter(([id]) => !after.has(id)).map(([, row]) => row),
    changed: [...after].flatMap(([id, row]) => {
      const members = differing(before.get(id) ?? row, row);
      return members.length === 0 ? [] : [{ id, before: before.get(id) as Row, after: row, members }];
    }),
  };
}

function differing(before: Row, after: Row): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

import { isDeepStrictEqual } from "node:util";
import type { Row } from "../service/operations/rows.js";
import { openForReading } from "./openForReading.js";
import type { SnapshotStore } from "./snapshotStore.js";
import { type StoredSearch, searchesOf, storedRows } from "./storedSearches.js";

/** A row that is in both snapshots, with other values. */
export interface ChangedRow {
  readonly id: string;
  readonly before: Row;
  readonly after: Row;
  /** The members that differ. */
  readonly members: readonly string[];
}

/** What has become of one search from a snapshot to another. */
export interface SearchDiff {
  /** `/mentions?query=climate`. */
  readonly search: string;
  /** Rows in each of them; null where that one does not have the search. */
  readonly before: number | null;
  readonly after: number | null;
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly changed: readonly ChangedRow[];
}

/**
 * What has changed between two retrievals: rows of each search that were added, removed, or changed, by their ids. Of a
 * request that was asked several times the newest answer counts.
 *
 * @param before the folder of the older snapshot
 * @param after the folder of the newer one
 * @returns every search of either, also where nothing has changed, by name
 * @throws SnapshotError
 * @example
 * const [first] = await diffSnapshots("2025/", "2026/");
 * first?.added.length; //=> 12
 */
export async function diffSnapshots(before: string, after: string): Promise<SearchDiff[]> {
  const [old, now] = [openForReading(before), openForReading(after)];
  const oldSearches = byName(old);
  const newSearches = byName(now);
  const names = [...new Set([...oldSearches.keys(), ...newSearches.keys()])].sort();
  const diffs: SearchDiff[] = [];
  for (const search of names) {
    const one = await rowsIn(old, oldSearches.get(search));
    const other = await rowsIn(now, newSearches.get(search));
    diffs.push(difference(search, one, other));
  }
  return diffs;
}

function byName(store: SnapshotStore): Map<string, StoredSearch> {
  return new Map(searchesOf(store).map((search) => [search.search, search]));
}

async function rowsIn(store: SnapshotStore, search: StoredSearch | undefined): Promise<Map<string, Row> | undefined> {
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

import { isDeepStrictEqual } from "node:util";
import { declaredShape } from "../service/json/rowShape.js";
import { operationOfPath } from "../service/operations/operationNames.js";
import { operations } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage, pageRows } from "../service/paging/page.js";
import type { StoredAnswer } from "./indexLine.js";
import type { SnapshotStore } from "./snapshotStore.js";

/** The pages of one search, or a look-up, in a snapshot. */
export interface StoredSearch {
  /** What is searched, without the place: `/mentions?query=climate`. */
  readonly search: string;
  /** In the order in which they came. */
  readonly pages: readonly StoredAnswer[];
}

/** The searches and look-ups of a snapshot, by name: the answers that a replay uses. */
export function searchesOf({ generations }: SnapshotStore): StoredSearch[] {
  const byName = [...generations.current()].sort(([a], [b]) => (a < b ? -1 : 1));
  return byName.map(([search, pages]) => ({
    search,
    pages: pages.sort((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1)),
  }));
}

/** The rows of a search by id, equal ones once; of rows that share an id the further ones by all of their content. Refusals have none. */
export async function storedRows(store: SnapshotStore, { pages }: StoredSearch): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (const page of pages) {
    if (page.status > 299) continue;
    for (const row of rowsOf(page, await store.read(page))) {
      const id = idOf(row);
      const isOther = rows.has(id) && !isDeepStrictEqual(rows.get(id), row);
      rows.set(isOther ? `${id} ${JSON.stringify(row)}` : id, row);
    }
  }
  return rows;
}

function rowsOf({ get, status }: StoredAnswer, body: Buffer): Row[] {
  const { pathname, searchParams } = new URL(get, "http://x");
  const operation = operationOfPath(pathname);
  const request: ArchiveRequest = { operation, path: pathname, query: [...searchParams] };
  const at = new Date(0);
  const reply = { status, body, headers: {}, requests: 1, retries: 0, sentAt: at, receivedAt: at };
  return pageRows(openPage(reply, request, declaredShape(operations[operation].columns), (text) => text));
}

/** What a row is known by: its id, or where it has none all of it. */
function idOf(row: Row): string {
  const { id } = row;
  return typeof id === "number" || typeof id === "string" ? String(id) : JSON.stringify(row);
}

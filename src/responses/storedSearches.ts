import { isDeepStrictEqual } from "node:util";
import { declaredShape } from "../pages/rows.js";
import { operationOfPath, operations } from "../service/operations/operations.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage, pageRows } from "../service/paging/page.js";
import type { StoredResponse } from "./line.js";
import type { ResponseStore } from "./responseStore.js";

/** The stored pages of one search or lookup. */
export interface StoredSearch {
  /** The search without its paging parameters: `/mentions?query=climate`. */
  readonly search: string;
  /** In order of arrival. */
  readonly pages: readonly StoredResponse[];
}

/** The searches and lookups of a snapshot, sorted by name, with the responses that a replay uses. */
export function searchesOf({ retrievals }: ResponseStore): StoredSearch[] {
  const byName = [...retrievals.responsesInUse()].sort(([a], [b]) => (a < b ? -1 : 1));
  return byName.map(([search, pages]) => ({
    search,
    pages: pages.sort((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1)),
  }));
}

/** The rows of a search by id. Equal rows count once; further rows with the same id are keyed by their content. Refusals have no rows. */
export async function storedRows(store: ResponseStore, { pages }: StoredSearch): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (const page of pages) {
    if (page.status > 299) continue;
    for (const row of rowsOf(page, await store.read(page))) {
      const id = rowKey(row);
      const isOther = rows.has(id) && !isDeepStrictEqual(rows.get(id), row);
      rows.set(isOther ? `${id} ${JSON.stringify(row)}` : id, row);
    }
  }
  return rows;
}

function rowsOf({ get, status }: StoredResponse, body: Buffer): Row[] {
  const { pathname, searchParams } = new URL(get, "http://x");
  const operation = operationOfPath(pathname);
  const request: ArchiveRequest = { operation, path: pathname, query: [...searchParams] };
  const at = new Date(0);
  const response = { status, body, headers: {}, requests: 1, retries: 0, sentAt: at, receivedAt: at };
  return pageRows(openPage(response, request, declaredShape(operations[operation].columns), (text) => text));
}

function rowKey(row: Row): string {
  const { id } = row;
  return typeof id === "number" || typeof id === "string" ? String(id) : JSON.stringify(row);
}

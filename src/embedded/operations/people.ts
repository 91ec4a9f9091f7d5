import type { PersonRow } from "../corpus/rows.js";
import { searchTerms } from "../search/searchTerms.js";
import { fold } from "../search/tokens.js";
import { optional } from "../server/parameters.js";
import { type OperationRequest, pageOf, rowsMember } from "./operation.js";

/**
 * GET /people: people by `query` (words of the name or title) and by prefixes of their `first` and `last` name, ignoring case
 * and accents. Without any of the three: everyone.
 */
export function people(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = optional(parameters, "query");
  const first = optional(parameters, "first");
  const last = optional(parameters, "last");
  const everyone = archive.corpus.people.rows;
  const byQuery = query === undefined ? everyone : rowsAt(everyone, archive.people.all(searchTerms(query)));
  const found = byQuery.filter((row) => startsWith(row.firstName, first) && startsWith(row.lastName, last));
  const { rows, cursor } = pageOf(request, ["people", query, first, last], found);
  return { cursor, ...rowsMember("people", rows) };
}

function rowsAt(rows: readonly PersonRow[], documents: Int32Array): PersonRow[] {
  return Array.from(documents).flatMap((document) => rows[document] ?? []);
}

function startsWith(name: string, prefix: string | undefined): boolean {
  return prefix === undefined || fold(name).startsWith(fold(prefix));
}

/** GET /people/{id}: a list with the person of an internal or public id. An unknown id gives an empty object, not a 404. */
export function person({ archive, id }: OperationRequest): object {
  const row = archive.corpus.people.byId.get(id);
  return rowsMember("people", row ? [row] : []);
}

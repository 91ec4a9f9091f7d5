import type { PersonRow } from "../corpus/rows.js";
import { searchTerms } from "../search/searchTerms.js";
import { fold } from "../search/tokens.js";
import { optional } from "../server/parameters.js";
import { type OperationRequest, pageOf, rowsMember } from "./operation.js";

/**
 * GET /people: people by `query` (words of the name or the title) and by how their `first` and `last` names begin, in
 * any letter case and with or without accents. With none of the three: everybody.
 */
export function people(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = optional(parameters, "query");
  const first = optional(parameters, "first");
  const last = optional(parameters, "last");
  const everybody = archive.corpus.people.rows;
  const named = query === undefined ? everybody : select(everybody, archive.people.all(searchTerms(query)));
  const found = named.filter((row) => begins(row.firstName, first) && begins(row.lastName, last));
  const { rows, cursor } = pageOf(request, ["people", query, first, last], found);
  return { cursor, ...rowsMember("people", rows) };
}

function select(rows: readonly PersonRow[], documents: Int32Array): PersonRow[] {
  return Array.from(documents).flatMap((document) => rows[document] ?? []);
}

function begins(name: string, wanted: string | undefined): boolean {
  return wanted === undefined || fold(name).startsWith(fold(wanted));
}

/** GET /people/{id}: the person of an internal or public id, in a list; an unknown id is an empty object, not a 404. */
export function person({ archive, id }: OperationRequest): object {
  const row = archive.corpus.people.byId.get(id);
  return rowsMember("people", row ? [row] : []);
}

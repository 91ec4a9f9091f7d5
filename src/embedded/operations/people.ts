import type { PersonRow } from "../corpus/rows.js";
import { searchTerms } from "../search/searchTerms.js";
import { fold } from "../search/tokens.js";
import { optional } from "../server/parameters.js";
import type { OperationRequest } from "./OperationRequest.js";
import { pageOf, rowsMember } from "./pageOf.js";

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

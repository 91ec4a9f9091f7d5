import { searchTerms } from "../search/searchTerms.js";
import { required } from "../server/parameters.js";
import { type OperationRequest, pageOf, rowsMember } from "./operation.js";

/** GET /bills: bills by words of the title or by number, newest Congress first. */
export function bills(request: OperationRequest): object {
  const query = required(request.parameters, "query");
  const { archive } = request;
  const found = Array.from(archive.bills.all(searchTerms(query)));
  const { rows, cursor } = pageOf(request, ["bills", query], found);
  return {
    ...rowsMember(
      "bills",
      rows.map((document) => archive.corpus.bills[document]?.row),
    ),
    cursor,
  };
}

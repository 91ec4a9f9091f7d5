import type { OperationRequest } from "./OperationRequest.js";
import { rowsMember } from "./pageOf.js";

/** GET /people/{id}: the person of an internal or public id, in a list; an unknown id is an empty object, not a 404. */
export function person({ archive, id }: OperationRequest): object {
  const row = archive.corpus.people.byId.get(id);
  return rowsMember("people", row ? [row] : []);
}

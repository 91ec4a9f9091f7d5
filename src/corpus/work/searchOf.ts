import type { ClientContext } from "../../call/clientContext.js";
import type { Search } from "../../responses/journal.js";
import type { Unit } from "../definition/units.js";

/** What identifies a unit in its journal. */
export function searchOf({ source, output }: Pick<ClientContext, "source" | "output">, { request }: Unit): Search {
  const { path, query } = request;
  return { corpus: source, path, parameters: Object.fromEntries(query), pageSize: output.pageSize };
}

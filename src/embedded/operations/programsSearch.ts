import type { Program } from "../corpus/programs.js";
import { LuceneFault } from "../lucene/LuceneFault.js";
import type { Archive } from "../server/Archive.js";
import { badRequest, Fault } from "../server/Fault.js";
import { optional, required } from "../server/parameters.js";
import type { OperationRequest } from "./OperationRequest.js";
import { pageOf, rowsMember } from "./pageOf.js";

/** GET /programs/search: programs by a Lucene query, newest first unless `sort` says otherwise. */
export function programsSearch(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const sort = optional(parameters, "sort")?.toLowerCase().replace(/\s+/g, " ") ?? "date desc";
  const order = Object.hasOwn(ORDERS, sort) ? ORDERS[sort] : undefined;
  if (!order) throw badRequest(`sort must be one of ${Object.keys(ORDERS).join(", ")}`);
  const found = search(archive, query).sort(order);
  const { rows, cursor } = pageOf(request, ["programs", query, sort], found);
  return {
    cursor,
    ...rowsMember(
      "programs",
      rows.map((program) => program.row),
    ),
  };
}

type Order = (a: Program, b: Program) => number;

const byDate: Order = (a, b) => a.begin - b.begin || a.row.id - b.row.id;
const byViews: Order = (a, b) => a.views - b.views || a.row.id - b.row.id;

const ORDERS: Readonly<Record<string, Order>> = {
  "date asc": byDate,
  "date desc": (a, b) => byDate(b, a),
  "popular asc": byViews,
  "popular desc": (a, b) => byViews(b, a),
};

/** A range is what the service has never survived: HTTP 500. Every other fault of a query is the caller's. */
function search(archive: Archive, query: string): Program[] {
  try {
    return archive.programs.search(query);
  } catch (error) {
    if (!(error instanceof LuceneFault)) throw error;
    throw new Fault(error.reason === "range" ? 500 : 400, error.message);
  }
}

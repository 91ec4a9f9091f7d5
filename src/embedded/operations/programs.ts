import type { Program } from "../corpus/programs.js";
import { LuceneError } from "../lucene/clause.js";
import type { Archive } from "../server/archive.js";
import { badRequest, HttpError, notFound } from "../server/httpError.js";
import { optional, required } from "../server/parameters.js";
import { type OperationRequest, pageOf, rowsMember } from "./operation.js";

/** GET /programs/search: programs by a Lucene query, newest first unless `sort` says otherwise. */
export function programsSearch(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const sort = optional(parameters, "sort")?.toLowerCase().replace(/\s+/g, " ") ?? "date desc";
  const orders = sort.split(",").map((term) => ORDERS[term.trim()]);
  if (!orders.every((order) => order !== undefined)) {
    throw badRequest(`sort must be one of ${Object.keys(ORDERS).join(", ")}, or several with commas`);
  }
  const order: Order = (a, b) => {
    for (const compare of orders) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    // The last direction decides on equal ones too, so that the order of the other direction is the reverse of this one.
    return sort.endsWith("desc") ? b.row.id - a.row.id : a.row.id - b.row.id;
  };
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

const byDate: Order = (a, b) => a.begin - b.begin;
const byViews: Order = (a, b) => a.views - b.views;

const ORDERS: Partial<Readonly<Record<string, Order>>> = {
  __proto__: null as never,
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
    if (!(error instanceof LuceneError)) throw error;
    throw new HttpError(error.reason === "range" ? 500 : 400, error.message);
  }
}

/** GET /programs/{id}: one flat object. Only the numeric id will do: a public id such as "556839-1" is a 400. */
export function program({ archive, id }: OperationRequest): object {
  if (/^[0-9]+-[0-9]+$/.test(id))
    throw badRequest("a public id is not accepted here; use the numeric id of a search result");
  if (!/^[0-9]+$/.test(id)) throw badRequest("the id must be the numeric id of a search result");
  const found = archive.corpus.programs.find((candidate) => candidate.row.id === Number(id));
  if (!found) throw notFound("there is no program of this id");
  return { ...found.row, publicId: found.publicId, videoDuration: found.duration };
}

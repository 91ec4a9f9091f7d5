import type { Program } from "../corpus/programs.js";
import { LuceneError } from "../lucene/clause.js";
import type { Archive } from "../server/archive.js";
import { badRequest, HttpError, notFound } from "../server/httpError.js";
import { optional, required } from "../server/parameters.js";
import { type OperationRequest, pageOf, rowsMember } from "./operation.js";

/** GET /programs/search: programs by Lucene query. Default order: newest first. */
export function programsSearch(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const sort = optional(parameters, "sort")?.toLowerCase().replace(/\s+/g, " ") ?? "date desc";
  const orders = sort.split(",").map((term) => ORDERS[term.trim()]);
  if (!orders.every((order) => order !== undefined)) {
    throw badRequest(`sort must be one of ${Object.keys(ORDERS).join(", ")}, or several separated by commas`);
  }
  const order: Order = (a, b) => {
    for (const compare of orders) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    // Ties follow the last direction too, so ascending is the exact reverse of descending.
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

/** As in the live service, a range query is a 500. Every other query error is a 400. */
function search(archive: Archive, query: string): Program[] {
  try {
    return archive.programs.search(query);
  } catch (error) {
    if (!(error instanceof LuceneError)) throw error;
    throw new HttpError(error.reason === "range" ? 500 : 400, error.message);
  }
}

/** GET /programs/{id}: one flat object. Only numeric ids are accepted: a public id such as "556839-1" is a 400. */
export function program({ archive, id }: OperationRequest): object {
  if (/^[0-9]+-[0-9]+$/.test(id))
    throw badRequest("public ids are not accepted; use the numeric id of a search result");
  if (!/^[0-9]+$/.test(id)) throw badRequest("the id must be the numeric id of a search result");
  const found = archive.corpus.programs.find((candidate) => candidate.row.id === Number(id));
  if (!found) throw notFound("there is no program with this id");
  return { ...found.row, publicId: found.publicId, videoDuration: found.duration };
}

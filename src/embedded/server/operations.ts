import { DAY } from "../corpus/calendar.js";
import type { Mention } from "../corpus/mention.js";
import type { PersonRow } from "../corpus/people.js";
import type { Program } from "../corpus/programs.js";
import { VIDEO_TYPES } from "../corpus/vocabulary.js";
import { LuceneError } from "../lucene/parseLucene.js";
import { searchTerms } from "../search/textIndex.js";
import { fold } from "../search/tokens.js";
import type { Archive } from "./archive.js";
import {
  badRequest,
  day,
  HttpError,
  notFound,
  type Operation,
  type OperationRequest,
  optional,
  PAGE_SIZE,
  pageOf,
  positiveInteger,
  required,
  rowsMember,
} from "./request.js";

/** The path prefix of every operation: the version of the service. */
export const BASE_PATH = "/2.0";

/** Operations by path. `*` stands for an id; earlier entries win. */
const ROUTES: readonly (readonly [string, Operation])[] = [
  ["/bills", bills],
  ["/mentions", mentions],
  ["/people", people],
  ["/people/*", person],
  ["/programs/search", programsSearch],
  ["/programs/*", program],
];

/**
 * The operation of a path, and the id at its end.
 *
 * @throws HttpError 404 for an unknown path, 400 for invalid percent-encoding
 */
export function route(path: string): { operation: Operation; id: string } {
  const local = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : "";
  for (const [pattern, operation] of ROUTES) {
    if (pattern === local) return { operation, id: "" };
    const stem = pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
    if (stem === undefined || !local.startsWith(stem)) continue;
    const id = decodeSegment(local.slice(stem.length));
    if (id !== "" && !local.slice(stem.length).includes("/")) return { operation, id };
  }
  throw notFound("there is no such path");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("the path is not valid percent-encoding");
  }
}

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

/** A higher `limit` is silently reduced to this. */
const MAX_LIMIT = 1000;

/** GET /mentions: mentions by spoken text, newest first. Pages by `cursor`, or by `page` and `limit`; `cursor` wins. */
export function mentions(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const limit = Math.min(positiveInteger(parameters, "limit", PAGE_SIZE), MAX_LIMIT);
  const page = positiveInteger(parameters, "page", 1);
  const filters: Filters = {
    personid: optional(parameters, "personid"),
    date: day(parameters, "date"),
    mindate: day(parameters, "mindate"),
    maxdate: day(parameters, "maxdate"),
    videotype: canonicalVideoType(optional(parameters, "videotype")),
  };
  const matches = buildFilter(archive, filters);
  const found: Mention[] = [];
  for (const document of archive.mentions.all(searchTerms(query))) {
    const mention = archive.corpus.mentions[document];
    if (mention && matches(mention)) found.push(mention);
  }
  const { personid, date, mindate, maxdate, videotype } = filters;
  const search = ["mentions", query, personid, date, mindate, maxdate, videotype];
  const { rows, cursor } = pageOf(request, search, found, { start: (page - 1) * limit, size: limit });
  return {
    cursor,
    ...rowsMember(
      "mentions",
      rows.map((mention) => archive.mentionRow(mention)),
    ),
  };
}

interface Filters {
  personid: string | undefined;
  date: string | undefined;
  mindate: string | undefined;
  maxdate: string | undefined;
  /** In canonical spelling, so that letter case does not invalidate cursors; an unknown name stays as given. */
  videotype: string | undefined;
}

/** Combines the filters into one predicate. Dates are whole UTC days, both ends inclusive. */
function buildFilter(archive: Archive, filters: Filters): (mention: Mention) => boolean {
  const { personid, date, mindate, maxdate, videotype } = filters;
  const tests: ((mention: Mention) => boolean)[] = [];
  if (personid !== undefined) {
    const id =
      archive.corpus.people.byId.get(personid)?.id ?? (/^[0-9]+$/.test(personid) ? Number(personid) : Number.NaN);
    tests.push((mention) => mention.personid === id);
  }
  for (const first of [date, mindate]) {
    if (first === undefined) continue;
    const begin = midnight(first);
    tests.push((mention) => mention.begin >= begin);
  }
  for (const last of [date, maxdate]) {
    if (last === undefined) continue;
    const end = midnight(last) + DAY;
    tests.push((mention) => mention.begin < end);
  }
  if (videotype !== undefined) {
    const id = Object.hasOwn(VIDEO_TYPES, videotype) ? VIDEO_TYPES[videotype as keyof typeof VIDEO_TYPES] : undefined;
    tests.push((mention) => mention.videoTypeId === id);
  }
  return (mention) => tests.every((test) => test(mention));
}

/** The canonical spelling of a video type; unknown names stay as they are. */
function canonicalVideoType(name: string | undefined): string | undefined {
  return Object.keys(VIDEO_TYPES).find((known) => known.toLowerCase() === name?.toLowerCase()) ?? name;
}

/** The beginning of a day, in seconds since 1970. */
function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

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

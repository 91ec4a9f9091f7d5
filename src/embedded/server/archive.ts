import type { OperationName, Operations } from "../../service/operations/operations.js";
import type { Collection, Program } from "../collection.js";
import { LuceneError, luceneMatcher, type Matcher } from "../search/lucene.js";
import { fold, hasPhrase, phrasesOf, searchable, searchableWhole, words } from "../search/words.js";
import { VIDEO_TYPES } from "../videoTypes.js";
import { badRequest, HttpError, notFound, Parameters, pageOf, type Search } from "./request.js";

/** The path prefix of every operation: the version of the service. */
export const BASE_PATH = "/2.0";

/** A higher `limit` is silently reduced to this. */
const MAX_LIMIT = 1000;

/** Results of searches that are kept, so that the next page needs no new search. */
const MAX_RESULTS = 50;

/** Returns the body of a 200 response, or throws an HttpError. `id` is the decoded end of the path. */
type Operation = (parameters: Parameters, id: string) => object;

/** The operations on a collection. Its texts are prepared on the first search that needs them. */
export class Archive {
  readonly #collection: Collection;
  /** What is searched, by the name of the resource or field. */
  readonly #texts = new Map<string, readonly string[]>();
  readonly #results = new Map<string, readonly object[]>();

  /** The operations by path; earlier entries win. */
  readonly #routes: Readonly<Record<Operations[OperationName]["path"], Operation>> = {
    "/bills": (parameters) => this.#bills(parameters),
    "/mentions": (parameters) => this.#mentions(parameters),
    "/people": (parameters) => this.#people(parameters),
    "/people/{id}": (_parameters, id) => this.#person(id),
    "/programs/search": (parameters) => this.#programsSearch(parameters),
    "/programs/{id}": (_parameters, id) => this.#program(id),
  };

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /**
   * The body of the response to a path and a query string.
   *
   * @throws HttpError 404 for an unknown path, 400 for invalid percent-encoding or parameters
   */
  get(path: string, query: string): object {
    const local = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : "";
    for (const [pattern, operation] of Object.entries(this.#routes)) {
      const stem = pattern.replace("{id}", "");
      const end = local.startsWith(stem) ? local.slice(stem.length) : "";
      const isOperation = pattern === stem ? local === stem : end !== "" && !end.includes("/");
      if (isOperation) return operation(new Parameters(query), decoded(end));
    }
    throw notFound("there is no such path");
  }

  /** GET /bills: bills by words of the title, with lost letters or without, or by number in every common spelling, newest Congress first. */
  #bills(parameters: Parameters): object {
    const query = parameters.required("query");
    const { bills } = this.#collection;
    const search = this.#search("bills", [query], () =>
      this.#found("bills", query, bills, ({ row, names }) => [row.billtitle, ...names]).map(({ row }) => row),
    );
    const { cursor, ...rows } = pageOf(parameters, "bills", search);
    return { ...rows, cursor };
  }

  /** GET /mentions: mentions by spoken text, newest first. Pages by `cursor`, or by `page` and `limit`; `cursor` wins. */
  #mentions(parameters: Parameters): object {
    const query = parameters.required("query");
    const size = Math.min(parameters.positiveInteger("limit", 20), MAX_LIMIT);
    const start = (parameters.positiveInteger("page", 1) - 1) * size;
    const personid = parameters.optional("personid");
    const [date, mindate, maxdate] = ["date", "mindate", "maxdate"].map((name) => parameters.day(name));
    // In canonical spelling, so that letter case does not invalidate cursors; an unknown name stays as given.
    const given = parameters.optional("videotype");
    const types = Object.entries(VIDEO_TYPES);
    const [videotype, videoTypeId] = types.find(([name]) => name.toLowerCase() === given?.toLowerCase()) ?? [given];
    const { mentions } = this.#collection;
    const search = this.#search("mentions", [query, personid, date, mindate, maxdate, videotype], () => {
      const person = personid && String(this.#personOf(personid)?.id ?? personid);
      return this.#found("mentions", query, mentions, ({ text }) => [text]).filter((row) => {
        const day = row.begintime.slice(0, 10);
        return (
          (date === undefined || day === date) &&
          (mindate === undefined || day >= mindate) &&
          (maxdate === undefined || day <= maxdate) &&
          (person === undefined || String(row.personid ?? "") === person) &&
          (videotype === undefined || row.videoTypeId === videoTypeId)
        );
      });
    });
    return pageOf(parameters, "mentions", search, { start, size });
  }

  /**
   * GET /people: people by `query` (words of the name or title) and by prefixes of their `first` and `last` name, ignoring case
   * and accents. Without any of the three: everyone.
   */
  #people(parameters: Parameters): object {
    const [query, first, last] = ["query", "first", "last"].map((name) => parameters.optional(name));
    const { people } = this.#collection;
    const search = this.#search("people", [query, first, last], () => {
      const named =
        query === undefined ? people : this.#found("people", query, people, ({ name, title }) => [name, title]);
      return named.filter(
        (row) => fold(row.firstName).startsWith(fold(first ?? "")) && fold(row.lastName).startsWith(fold(last ?? "")),
      );
    });
    return pageOf(parameters, "people", search);
  }

  /** GET /people/{id}: a list with the person of an internal or public id. An unknown id gives an empty object, not a 404. */
  #person(id: string): object {
    const person = this.#personOf(id);
    return person === undefined ? {} : { people: [person] };
  }

  /** GET /programs/search: programs by Lucene query. Default order: newest first. */
  #programsSearch(parameters: Parameters): object {
    const query = parameters.required("query");
    const sort = parameters.optional("sort")?.toLowerCase().replace(/\s+/g, " ") ?? "date desc";
    const orders = sort.split(",").map((term) => ORDERS.get(term.trim()));
    if (!orders.every((order) => order !== undefined)) {
      throw badRequest(`sort must be one of ${[...ORDERS.keys()].join(", ")}, or several separated by commas`);
    }
    // Ties follow the last direction too, so ascending is the exact reverse of descending.
    const byId: Order = (a, b) => (sort.endsWith("desc") ? b.row.id - a.row.id : a.row.id - b.row.id);
    const compare: Order = (a, b) => [...orders, byId].reduce((difference, order) => difference || order(a, b), 0);
    const search = this.#search("programs", [query, sort], () =>
      this.#programsFor(query)
        .sort(compare)
        .map(({ row }) => row),
    );
    return pageOf(parameters, "programs", search);
  }

  /** GET /programs/{id}: one flat object. Only numeric ids are accepted: a public id such as "556839-1" is a 400. */
  #program(id: string): object {
    if (/^\d+-\d+$/.test(id)) throw badRequest("public ids are not accepted; use the numeric id of a search result");
    if (!/^\d+$/.test(id)) throw badRequest("the id must be the numeric id of a search result");
    const found = this.#collection.programs.find(({ row }) => row.id === Number(id));
    if (!found) throw notFound("there is no program with this id");
    return { ...found.row, publicId: found.publicId, videoDuration: found.videoDuration };
  }

  #personOf(id: string) {
    return this.#collection.people.find((row) => String(row.id) === id || (row.publicId !== "" && row.publicId === id));
  }

  /** The rows of a search, and the key for which its cursors are valid. */
  #search(member: string, parameters: readonly (string | undefined)[], rowsOf: () => readonly object[]): Search {
    const key = JSON.stringify([this.#collection.name, member, ...parameters.map((value) => value ?? null)]);
    const known = this.#results.get(key);
    if (known !== undefined) return { key, rows: known };
    const rows = rowsOf();
    const [oldest = key] = this.#results.keys();
    if (this.#results.size === MAX_RESULTS) this.#results.delete(oldest);
    this.#results.set(key, rows);
    return { key, rows };
  }

  /** The items with all phrases of a query; none for a query without words. */
  #found<T>(name: string, query: string, items: readonly T[], valuesOf: (item: T) => readonly string[]): T[] {
    const texts = this.#textsOf(name, () => items.map((item) => searchable(valuesOf(item))));
    const phrases = phrasesOf(query);
    const matches = (text = "") => phrases.length > 0 && phrases.every((phrase) => hasPhrase(text, phrase));
    return items.filter((_, at) => matches(texts[at]));
  }

  /** The programs that match a Lucene query, oldest first. */
  #programsFor(query: string): Program[] {
    const { programs } = this.#collection;
    const termOf = (text: string, field?: string): Matcher<number> => {
      const whole = field !== undefined && WHOLE.includes(field);
      const phrase = whole ? [fold(text.replaceAll('"', "")).trim()] : words(text);
      const columns = (field === undefined ? DEFAULTS : [field]).map((name) =>
        this.#textsOf(`programs ${name}`, () =>
          programs.map((program) => (whole ? searchableWhole : searchable)(valuesOf(program, name))),
        ),
      );
      return (program) => columns.some((texts) => hasPhrase(texts[program] ?? "", phrase));
    };
    try {
      const matches = luceneMatcher(query, PROGRAM_FIELDS, termOf);
      return programs.filter((_, at) => matches(at));
    } catch (error) {
      // As in the live service, a range query is a 500. Every other query error is a 400.
      throw error instanceof LuceneError ? new HttpError(error.isRange ? 500 : 400, error.message) : error;
    }
  }

  #textsOf(name: string, make: () => readonly string[]): readonly string[] {
    const texts = this.#texts.get(name) ?? make();
    this.#texts.set(name, texts);
    return texts;
  }
}

type Order = (a: Program, b: Program) => number;

const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ["date asc", (a, b) => (a.row.date < b.row.date ? -1 : a.row.date > b.row.date ? 1 : 0)],
  ["date desc", (a, b) => (a.row.date < b.row.date ? 1 : a.row.date > b.row.date ? -1 : 0)],
  ["popular asc", (a, b) => a.views - b.views],
  ["popular desc", (a, b) => b.views - a.views],
]);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("the path is not valid percent-encoding");
  }
}

/** The fields of a program query. */
const PROGRAM_FIELDS =
  "abstract category date format isbn location person personid series sponsor subject tag text".split(" ");

/** The fields of values that match as a whole. */
const WHOLE = ["date", "isbn", "personid"];

/** What terms without a field search. Only they search titles. */
const DEFAULTS = ["title", "abstract", "text"];

function valuesOf({ row, fields }: Program, field: string): readonly string[] {
  if (field === "title") return [row.title];
  if (field === "abstract") return [row.description];
  if (field === "date") return [row.date.slice(0, 10), row.date];
  return fields[field] ?? [];
}

import type { OperationName, Operations } from "../../service/operations/operations.js";
import { VIDEO_TYPES } from "../../util/videoTypes.js";
import { DAY } from "../corpus/calendar.js";
import type { Corpus } from "../corpus/corpus.js";
import { mentionRow } from "../corpus/mentions.js";
import { type Program, programText } from "../corpus/programs.js";
import { evaluateLucene, LuceneError } from "../search/lucene.js";
import { fold, type IndexedText, TextIndex } from "../search/textIndex.js";
import { badRequest, HttpError, notFound, Parameters, pageOf } from "./request.js";

/** The path prefix of every operation: the version of the service. */
export const BASE_PATH = "/2.0";

/** A higher `limit` is silently reduced to this. */
const MAX_LIMIT = 1000;

/** Returns the body of a 200 response, or throws an HttpError. `id` is the decoded end of the path. */
type Operation = (parameters: Parameters, id: string) => object;

/** The operations on a corpus. Each search index is built on the first search that needs it. */
export class Archive {
  readonly #corpus: Corpus;
  readonly #indexes = new Map<string, TextIndex>();

  /** The operations by path; earlier entries win. */
  readonly #routes: Readonly<Record<Operations[OperationName]["path"], Operation>> = {
    "/bills": (parameters) => this.#bills(parameters),
    "/mentions": (parameters) => this.#mentions(parameters),
    "/people": (parameters) => this.#people(parameters),
    "/people/{id}": (_parameters, id) => this.#person(id),
    "/programs/search": (parameters) => this.#programsSearch(parameters),
    "/programs/{id}": (_parameters, id) => this.#program(id),
  };

  constructor(corpus: Corpus) {
    this.#corpus = corpus;
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
    const { bills } = this.#corpus;
    const found = this.#search("bills", query, bills, ({ listed, row, spokenTitle, numberForms }) =>
      listed ? [...new Set([row.billtitle, spokenTitle, ...numberForms])] : [],
    );
    const { cursor, ...rows } = pageOf(parameters, "bills", this.#key("bills", query), found, ({ row }) => row);
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
    // Dates are whole UTC days, both ends inclusive.
    const begin = Math.max(midnight(date, Number.NEGATIVE_INFINITY), midnight(mindate, Number.NEGATIVE_INFINITY));
    const end = Math.min(midnight(date, Number.POSITIVE_INFINITY), midnight(maxdate, Number.POSITIVE_INFINITY)) + DAY;
    const person =
      personid &&
      (this.#corpus.people.byId.get(personid)?.id ?? (/^\d+$/.test(personid) ? Number(personid) : Number.NaN));
    const { mentions } = this.#corpus;
    const found = this.#search("mentions", query, mentions, ({ captions }) => [captions.pieces]).filter(
      (mention) =>
        mention.begin >= begin &&
        mention.begin < end &&
        (personid === undefined || mention.personid === person) &&
        (videotype === undefined || mention.videoTypeId === videoTypeId),
    );
    const key = this.#key("mentions", query, personid, date, mindate, maxdate, videotype);
    return pageOf(parameters, "mentions", key, found, mentionRow, { start, size });
  }

  /**
   * GET /people: people by `query` (words of the name or title) and by prefixes of their `first` and `last` name, ignoring case
   * and accents. Without any of the three: everyone.
   */
  #people(parameters: Parameters): object {
    const [query, first, last] = ["query", "first", "last"].map((name) => parameters.optional(name));
    const { rows } = this.#corpus.people;
    const byQuery =
      query === undefined ? rows : this.#search("people", query, rows, ({ name, title }) => [name, title]);
    const found = byQuery.filter(
      (row) => fold(row.firstName).startsWith(fold(first ?? "")) && fold(row.lastName).startsWith(fold(last ?? "")),
    );
    return pageOf(parameters, "people", this.#key("people", query, first, last), found, (row) => row);
  }

  /** GET /people/{id}: a list with the person of an internal or public id. An unknown id gives an empty object, not a 404. */
  #person(id: string): object {
    const found = this.#corpus.people.byId.get(id);
    return found === undefined ? {} : { people: [found] };
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
    try {
      const found = searchPrograms(this.#corpus, query, (name, make) => this.#index(name, make)).sort(compare);
      return pageOf(parameters, "programs", this.#key("programs", query, sort), found, ({ row }) => row);
    } catch (error) {
      // As in the live service, a range query is a 500. Every other query error is a 400.
      throw error instanceof LuceneError ? new HttpError(error.isRange ? 500 : 400, error.message) : error;
    }
  }

  /** GET /programs/{id}: one flat object. Only numeric ids are accepted: a public id such as "556839-1" is a 400. */
  #program(id: string): object {
    if (/^\d+-\d+$/.test(id)) throw badRequest("public ids are not accepted; use the numeric id of a search result");
    if (!/^\d+$/.test(id)) throw badRequest("the id must be the numeric id of a search result");
    const found = this.#corpus.programs.find(({ row }) => row.id === Number(id));
    if (!found) throw notFound("there is no program with this id");
    return { ...found.row, publicId: found.publicId, videoDuration: found.duration };
  }

  #search<T>(name: string, query: string, items: readonly T[], textsOf: (item: T) => TextsOf): T[] {
    const index = this.#index(name, () => new TextIndex(items.map(textsOf)));
    return index.search(query).map((document) => items[document] as T);
  }

  #index(name: string, make: () => TextIndex): TextIndex {
    const index = this.#indexes.get(name) ?? make();
    this.#indexes.set(name, index);
    return index;
  }

  #key(...search: readonly (string | undefined)[]): readonly unknown[] {
    const { seed, size, reairings } = this.#corpus;
    return [seed, size, ...(reairings ? [1] : []), ...search];
  }
}

type TextsOf = ConstructorParameters<typeof TextIndex>[0][number];
type Order = (a: Program, b: Program) => number;

const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ["date asc", (a, b) => a.begin - b.begin],
  ["date desc", (a, b) => b.begin - a.begin],
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

/** The beginning of a day, in seconds since 1970. */
function midnight(day: string | undefined, fallback: number): number {
  return day === undefined ? fallback : Date.parse(`${day}T00:00:00Z`) / 1000;
}

type FieldTexts = (program: Program, seed: number) => readonly IndexedText[];

/** The fields of text. Several words match as a phrase. */
const TEXTS: Readonly<Record<string, FieldTexts>> = {
  title: ({ row }) => [row.title],
  abstract: ({ row }) => [row.description],
  text: (program, seed) => [programText(seed, program)],
  category: ({ kind }) => [kind.category],
  format: ({ kind }) => [kind.format],
  location: ({ location }) => [location],
  person: ({ people }) => people.map(({ name }) => name),
  series: ({ kind }) => [kind.series],
  sponsor: ({ sponsor }) => [sponsor],
  subject: ({ topics }) => topics.flatMap(({ subject, otherSubjects = [] }) => [subject, ...otherSubjects]),
  tag: ({ kind, topics }) => [kind.tag, ...topics.map(({ key }) => key)],
};

/** The fields of exact values, such as numbers and dates. */
const VALUES: Readonly<Record<string, FieldTexts>> = {
  date: ({ row }) => [row.date.slice(0, 10), row.date],
  isbn: ({ isbn }) => (isbn === "" ? [] : [isbn]),
  personid: ({ people }) => people.map(({ id }) => String(id)),
};

/** What terms without a field search. Only they search titles. */
const DEFAULTS = ["title", "abstract", "text"];

const FIELDS = Object.keys({ ...TEXTS, ...VALUES })
  .filter((name) => name !== "title")
  .sort();

/**
 * The programs that match a Lucene query, oldest first. Terms without a field search title, abstract and text.
 *
 * @param indexOf the index of a name, made on the first search that needs it
 * @throws LuceneError if the query is invalid or contains a range
 */
function searchPrograms(
  { programs, seed }: Corpus,
  query: string,
  indexOf: (name: string, make: () => TextIndex) => TextIndex,
): Program[] {
  const index = (name: string) => {
    const textsOf = (TEXTS[name] ?? VALUES[name]) as FieldTexts;
    const split = name in VALUES ? (value: string) => [fold(value).trim()] : undefined;
    const texts = () => programs.map((program) => textsOf(program, seed));
    return indexOf(`programs ${name}`, () => new TextIndex(texts(), split));
  };
  const indexes = (field?: string) => (field === undefined ? DEFAULTS : [field]).map(index);
  const found = evaluateLucene(query, { size: programs.length, fields: FIELDS, indexes });
  return programs.filter((_, document) => found[document] === 1);
}

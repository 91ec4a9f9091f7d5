import type { Collection, Program } from "../data.js";
import { fold, hasPhrase, luceneMatcher, type Matcher, phrasesOf, searchable, words } from "../lucene.js";
import { badRequest, HttpError, Parameters, pageOf, type SearchResult } from "./request.js";

/** The path prefix of every operation: the version of the service. */
export const BASE_PATH = "/2.0";
/** A higher `limit` is silently reduced to this. */
const MAX_LIMIT = 1000;

/** Results of searches that are kept, so that the next page needs no new search. */
const MAX_RESULTS = 50;

/** The operations on a collection. Its texts are prepared on the first search that needs them. */
export class Archive {
  readonly #collection: Collection;
  /** What is searched, by the name of the resource or field. */
  readonly #texts = new Map<string, readonly string[]>();
  readonly #results = new Map<string, readonly object[]>();

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /**
   * The body of the response to a path and a query string.
   *
   * @throws HttpError 404 for an unknown path, 400 for invalid parameters; URIError for invalid percent-encoding
   */
  get(path: string, query: string): object {
    const parameters = new Parameters(query);
    if (path === `${BASE_PATH}/bills`) return this.#bills(parameters);
    if (path === `${BASE_PATH}/mentions`) return this.#mentions(parameters);
    if (path === `${BASE_PATH}/people`) return this.#people(parameters);
    if (path === `${BASE_PATH}/programs/search`) return this.#programsSearch(parameters);
    const [, kind, id] = /^\/2\.0\/(people|programs)\/([^/]+)$/.exec(path) ?? [];
    if (id === undefined) throw new HttpError(404, "there is no such path");
    return kind === "people" ? this.#person(decodeURIComponent(id)) : this.#program(decodeURIComponent(id));
  }

  /** GET /bills: bills by words of the title, with lost letters or without, or by number in every common spelling, newest Congress first. */
  #bills(parameters: Parameters): object {
    const query = parameters.required("query");
    const { bills } = this.#collection;
    const search = this.#search("bills", [query], () =>
      this.#withPhrases("bills", query, bills, ({ row, names }) => [row.billtitle, ...names]).map(({ row }) => row),
    );
    return pageOf(parameters, "bills", search);
  }

  /** GET /mentions: mentions by spoken text, newest first. Pages by `cursor`, or by `page` and `limit`; `cursor` wins. */
  #mentions(parameters: Parameters): object {
    const query = parameters.required("query");
    const size = Math.min(parameters.positiveInteger("limit", 20), MAX_LIMIT);
    const start = (parameters.positiveInteger("page", 1) - 1) * size;
    const personid = parameters.optional("personid");
    const [date, mindate, maxdate] = ["date", "mindate", "maxdate"].map((name) => parameters.day(name));
    // In canonical spelling, so that letter case does not invalidate cursors; an unknown name stays as given.
    const name = parameters.optional("videotype");
    const types = Object.entries(this.#collection.videoTypes);
    const [videotype, videoTypeId] = types.find(([type]) => type.toLowerCase() === name?.toLowerCase()) ?? [name];
    const { mentions } = this.#collection;
    const search = this.#search("mentions", [query, personid, date, mindate, maxdate, videotype], () => {
      const person = personid && String(this.#personOf(personid)?.id ?? personid);
      return this.#withPhrases("mentions", query, mentions, ({ text }) => [text]).filter((row) => {
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
        query === undefined ? people : this.#withPhrases("people", query, people, ({ name, title }) => [name, title]);
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
    const compare = orderOf(sort.split(",").map((term) => term.trim()));
    const search = this.#search("programs", [query, sort], () =>
      this.#programsFor(query)
        .sort(compare)
        .map(({ row }) => row),
    );
    return pageOf(parameters, "programs", search);
  }

  /** GET /programs/{id}: one flat object. Only numeric ids are accepted: a public id such as "556839-1" is a 400. */
  #program(id: string): object {
    if (!/^\d+$/.test(id)) throw badRequest("the id must be the numeric id of a search result, not a public id");
    const program = this.#collection.programs.find(({ row }) => row.id === Number(id));
    if (program === undefined) throw new HttpError(404, "there is no program with this id");
    return { ...program.row, publicId: program.publicId, videoDuration: program.videoDuration };
  }

  #personOf(id: string) {
    return this.#collection.people.find((row) => String(row.id) === id || (row.publicId !== "" && row.publicId === id));
  }

  /** The rows of a search, and the key for which its cursors are valid. */
  #search(member: string, parameters: readonly (string | undefined)[], rowsOf: () => readonly object[]): SearchResult {
    const key = JSON.stringify([this.#collection.name, member, ...parameters.map((value) => value ?? null)]);
    const rows = this.#results.get(key) ?? rowsOf();
    const [oldest = key] = this.#results.keys();
    if (this.#results.size === MAX_RESULTS) this.#results.delete(oldest);
    this.#results.set(key, rows);
    return { key, rows };
  }

  /** The items with all phrases of a query; none for a query without words. */
  #withPhrases<T>(name: string, query: string, items: readonly T[], valuesOf: (item: T) => readonly string[]): T[] {
    const texts = this.#textsOf(name, () => items.map((item) => searchable(valuesOf(item))));
    const phrases = phrasesOf(query);
    const matches = (text = "") => phrases.length > 0 && phrases.every((phrase) => hasPhrase(text, phrase));
    return items.filter((_, at) => matches(texts[at]));
  }

  /** The programs that match a Lucene query, oldest first. */
  #programsFor(query: string): Program[] {
    const { programs } = this.#collection;
    const termOf = (text: string, field?: string): Matcher<number> => {
      const phrase = words(text);
      const columns = (field === undefined ? DEFAULTS : [field]).map((name) =>
        this.#textsOf(`programs ${name}`, () => programs.map((program) => searchable(program.fields[name] ?? []))),
      );
      return (program) => columns.some((texts) => hasPhrase(texts[program] ?? "", phrase));
    };
    const matches = luceneMatcher(query, PROGRAM_FIELDS, termOf);
    return programs.filter((_, at) => matches(at));
  }

  #textsOf(name: string, make: () => readonly string[]): readonly string[] {
    const texts = this.#texts.get(name) ?? make();
    this.#texts.set(name, texts);
    return texts;
  }
}

const SORT_VALUES: ReadonlyMap<string, (program: Program) => number> = new Map([
  ["date", ({ row }) => Date.parse(row.date)],
  ["popular", ({ views }) => views],
]);

/** The order by terms such as "date desc". Ties follow the last direction, so ascending is the exact reverse of descending. */
function orderOf(terms: readonly string[]): (a: Program, b: Program) => number {
  const keys = terms.map((term) => {
    const [name = "", direction = "", ...rest] = term.split(" ");
    const sortValue = SORT_VALUES.get(name);
    if (sortValue !== undefined && /^(?:asc|desc)$/.test(direction) && rest.length === 0)
      return { sortValue, sign: direction === "desc" ? -1 : 1 };
    throw badRequest("sort must be date or popular and asc or desc, or several of these separated by commas");
  });
  const byId = { sortValue: ({ row }: Program) => row.id, sign: keys.at(-1)?.sign ?? 1 };
  return (a, b) =>
    [...keys, byId].reduce((order, { sortValue, sign }) => order || sign * (sortValue(a) - sortValue(b)), 0);
}

/** The fields of a program query. */
const PROGRAM_FIELDS =
  "abstract category date format isbn location person personid series sponsor subject tag text".split(" ");

/** What terms without a field search. Only they search titles. */
const DEFAULTS = ["title", "abstract", "text"];

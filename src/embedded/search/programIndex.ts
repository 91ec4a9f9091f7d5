import type { Corpus } from "../corpus/corpus.js";
import { type Program, programText } from "../corpus/programs.js";
import { evaluateLucene } from "./lucene.js";
import { fold, type IndexedText, TextIndex } from "./textIndex.js";

type TextsOf = (program: Program, seed: number) => readonly IndexedText[];

/** The fields of text. Several words match as a phrase. */
const TEXTS: Readonly<Record<string, TextsOf>> = {
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
const VALUES: Readonly<Record<string, TextsOf>> = {
  date: ({ row }) => [row.date.slice(0, 10), row.date],
  isbn: ({ isbn }) => (isbn === "" ? [] : [isbn]),
  personid: ({ people }) => people.map(({ id }) => String(id)),
};

/** What terms without a field search. Only they search titles. */
const DEFAULTS = ["title", "abstract", "text"];

const FIELDS = Object.keys({ ...TEXTS, ...VALUES })
  .filter((name) => name !== "title")
  .sort();

/** Searches the programs of a corpus by Lucene query. Terms without a field search title, abstract and text. */
export class ProgramIndex {
  readonly #corpus: Corpus;
  /** Built on the first search that needs them. */
  readonly #indexes = new Map<string, TextIndex>();

  constructor(corpus: Corpus) {
    this.#corpus = corpus;
  }

  /**
   * The programs that match, oldest first.
   *
   * @throws LuceneError if the query is invalid or contains a range
   */
  search(query: string): Program[] {
    const { programs } = this.#corpus;
    const indexes = (field?: string) => (field === undefined ? DEFAULTS : [field]).map((name) => this.#index(name));
    const found = evaluateLucene(query, { size: programs.length, fields: FIELDS, indexes });
    return programs.filter((_, document) => found[document] === 1);
  }

  #index(name: string): TextIndex {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    const { programs, seed } = this.#corpus;
    const textsOf = (TEXTS[name] ?? VALUES[name]) as TextsOf;
    const documents = programs.map((program) => textsOf(program, seed));
    const index = new TextIndex(documents, name in VALUES ? (value) => [fold(value).trim()] : undefined);
    this.#indexes.set(name, index);
    return index;
  }
}

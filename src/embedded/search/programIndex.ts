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

/**
 * The programs that match a Lucene query, oldest first. Terms without a field search title, abstract and text.
 *
 * @param indexOf the index of a name, made on the first search that needs it
 * @throws LuceneError if the query is invalid or contains a range
 */
export function searchPrograms(
  { programs, seed }: Corpus,
  query: string,
  indexOf: (name: string, make: () => TextIndex) => TextIndex,
): Program[] {
  const index = (name: string) => {
    const textsOf = (TEXTS[name] ?? VALUES[name]) as TextsOf;
    const split = name in VALUES ? (value: string) => [fold(value).trim()] : undefined;
    return indexOf(
      `programs ${name}`,
      () =>
        new TextIndex(
          programs.map((program) => textsOf(program, seed)),
          split,
        ),
    );
  };
  const indexes = (field?: string) => (field === undefined ? DEFAULTS : [field]).map(index);
  const found = evaluateLucene(query, { size: programs.length, fields: FIELDS, indexes });
  return programs.filter((_, document) => found[document] === 1);
}

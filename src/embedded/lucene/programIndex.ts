import type { Corpus } from "../corpus/corpus.js";
import { type Program, programText } from "../corpus/programs.js";
import type { IndexedText } from "../search/textIndex.js";
import { evaluate, type SearchableFields } from "./evaluate.js";
import { lazyField, valueField, wordField } from "./fieldIndex.js";
import { parseLucene } from "./parseLucene.js";

/** Searches the programs of a corpus by Lucene query. Terms without a field search title, abstract and text. */
export class ProgramIndex {
  readonly #programs: readonly Program[];
  readonly #searchable: SearchableFields;

  constructor(corpus: Corpus) {
    const programs = corpus.programs;
    const words = (of: (program: Program) => readonly IndexedText[]) => lazyField(() => wordField(programs.map(of)));
    const values = (of: (program: Program) => readonly string[]) => lazyField(() => valueField(programs.map(of)));
    const abstract = words((program) => [program.row.description]);
    const text = words((program) => [programText(corpus.seed, program)]);
    this.#programs = programs;
    this.#searchable = {
      size: programs.length,
      defaults: [words((program) => [program.row.title]), abstract, text],
      fields: {
        abstract,
        text,
        category: words((program) => [program.kind.category]),
        format: words((program) => [program.kind.format]),
        location: words((program) => [program.location]),
        person: words((program) => program.people.map((person) => person.name)),
        series: words((program) => [program.kind.series]),
        sponsor: words((program) => [program.sponsor]),
        subject: words((program) =>
          program.topics.flatMap(({ subject, otherSubjects = [] }) => [subject, ...otherSubjects]),
        ),
        tag: words((program) => [program.kind.tag, ...program.topics.map((topic) => topic.key)]),
        date: values(({ row }) => [row.date.slice(0, 10), row.date]),
        isbn: values(({ isbn }) => (isbn === "" ? [] : [isbn])),
        personid: values(({ people }) => people.map((person) => String(person.id))),
      },
    };
  }

  /**
   * The programs that match, oldest first.
   *
   * @throws LuceneError if the query is invalid or contains a range
   */
  search(query: string): Program[] {
    const mask = evaluate(parseLucene(query), this.#searchable);
    return this.#programs.filter((_, document) => mask[document] === 1);
  }
}

import type { Corpus } from "../corpus/corpus.js";
import { type Program, programText } from "../corpus/programs.js";
import type { IndexedText } from "../search/textIndex.js";
import { fold } from "../search/tokens.js";
import { ANY_ONE, ANY_RUN, type FieldIndex, type GlobPart, lazyField, valueField, wordField } from "./fieldIndex.js";
import { type Clause, parseLucene, type QueryField, type TermClause } from "./parseLucene.js";

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

/** The indexes that a query is evaluated on. */
export interface SearchableFields {
  /** Number of documents. */
  size: number;
  fields: Readonly<Record<QueryField, FieldIndex>>;
  /** Searched by terms without a field. */
  defaults: readonly FieldIndex[];
}

/** One byte per document: 1 if the clause matches it, otherwise 0. */
export function evaluate(clause: Clause, over: SearchableFields): Uint8Array {
  switch (clause.type) {
    case "term":
      return evaluateTerm(clause, over);
    case "not":
      return invert(evaluate(clause.clause, over));
    case "all":
      return matchAll(clause.clauses, over, new Uint8Array(over.size).fill(1));
    case "group": {
      const { must, mustNot, should } = clause;
      const hasNoShould = must.length > 0 || should.length === 0;
      const start = hasNoShould ? new Uint8Array(over.size).fill(1) : matchAny(should, over);
      const found = matchAll(must, over, start);
      if (mustNot.length > 0) {
        const excluded = matchAny(mustNot, over);
        for (let i = 0; i < found.length; i++) if (excluded[i] === 1) found[i] = 0;
      }
      return found;
    }
  }
}

function matchAll(clauses: readonly Clause[], over: SearchableFields, found: Uint8Array): Uint8Array {
  for (const clause of clauses) {
    const one = evaluate(clause, over);
    for (let i = 0; i < found.length; i++) if (one[i] === 0) found[i] = 0;
  }
  return found;
}

function matchAny(clauses: readonly Clause[], over: SearchableFields): Uint8Array {
  const found = new Uint8Array(over.size);
  for (const clause of clauses) {
    const one = evaluate(clause, over);
    for (let i = 0; i < found.length; i++) if (one[i] === 1) found[i] = 1;
  }
  return found;
}

function invert(mask: Uint8Array): Uint8Array {
  return mask.map((bit) => 1 - bit);
}

function evaluateTerm(term: TermClause, over: SearchableFields): Uint8Array {
  const found = new Uint8Array(over.size);
  const pattern = term.quoted ? undefined : wildcardPattern(term.value);
  for (const index of term.field === undefined ? over.defaults : [over.fields[term.field]]) {
    const documents = pattern ? index.matchingPattern(pattern) : index.matchingText(unescapeTerm(term.value));
    for (const document of documents) found[document] = 1;
  }
  return found;
}

/** Removes the escapes of a term. //=> unescapeTerm("a\\:b") is "a:b" */
function unescapeTerm(value: string): string {
  return value.replace(/\\(.)/gs, "$1");
}

/** The pattern of a term with an unescaped wildcard, otherwise undefined. */
function wildcardPattern(value: string): GlobPart[] | undefined {
  const parts: GlobPart[] = [];
  let hasWildcard = false;
  for (const [piece] of value.matchAll(/\\?./gsu)) {
    if (piece === "*" || piece === "?") {
      parts.push(piece === "*" ? ANY_RUN : ANY_ONE);
      hasWildcard = true;
    } else {
      parts.push(...fold(unescapeTerm(piece)));
    }
  }
  return hasWildcard ? parts : undefined;
}

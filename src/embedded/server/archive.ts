import type { Corpus } from "../corpus/corpus.js";
import { type Mention, mentionRow } from "../corpus/mentions.js";
import type { MentionRow } from "../corpus/rows.js";
import { ProgramIndex } from "../lucene/programIndex.js";
import { TextIndex } from "../search/textIndex.js";

/** The corpus with its search indexes; each index is built on the first search that needs it. */
export class Archive {
  readonly corpus: Corpus;
  readonly #personTitles: boolean;
  #bills: TextIndex | undefined;
  #mentions: TextIndex | undefined;
  #people: TextIndex | undefined;
  #programs: ProgramIndex | undefined;

  /** @param options `personTitles`: whether the rows of mentions carry the title of the speaker */
  constructor(corpus: Corpus, { personTitles = false }: { personTitles?: boolean } = {}) {
    this.corpus = corpus;
    this.#personTitles = personTitles;
  }

  /** What parts one corpus from another: a cursor holds in one only. */
  get identity(): readonly number[] {
    return [this.corpus.seed, this.corpus.size];
  }

  /** Bills by title, and by number in each form that people write. */
  get bills(): TextIndex {
    this.#bills ??= new TextIndex(this.corpus.bills.map((bill) => [bill.row.billtitle, ...new Set(bill.numberForms)]));
    return this.#bills;
  }

  /** Mentions by what was spoken. */
  get mentions(): TextIndex {
    this.#mentions ??= new TextIndex(this.corpus.mentions.map(({ captions }) => [captions.pieces]));
    return this.#mentions;
  }

  /** The row of a mention as this archive sends it. */
  mentionRow(mention: Mention): MentionRow {
    const row = mentionRow(mention);
    const title = this.#personTitles ? this.corpus.people.byId.get(String(mention.personid))?.title : undefined;
    return title === undefined ? row : { ...row, person_title: title };
  }

  /** People by name and title. */
  get people(): TextIndex {
    this.#people ??= new TextIndex(this.corpus.people.rows.map((row) => [row.name, row.title]));
    return this.#people;
  }

  /** Programs by Lucene query. */
  get programs(): ProgramIndex {
    this.#programs ??= new ProgramIndex(this.corpus);
    return this.#programs;
  }
}

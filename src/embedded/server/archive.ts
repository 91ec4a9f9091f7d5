import type { Corpus } from "../corpus/corpus.js";
import { type Mention, type MentionRow, mentionRow } from "../corpus/mention.js";

import { ProgramIndex } from "../lucene/programIndex.js";
import { TextIndex } from "../search/textIndex.js";

/** The corpus with its search indexes. Each index is built on the first search that needs it. */
export class Archive {
  readonly corpus: Corpus;
  readonly #personTitles: boolean;
  #bills: TextIndex | undefined;
  #mentions: TextIndex | undefined;
  #people: TextIndex | undefined;
  #programs: ProgramIndex | undefined;

  /** @param options `personTitles`: add the speaker's title to mentions */
  constructor(corpus: Corpus, { personTitles = false }: { personTitles?: boolean } = {}) {
    this.corpus = corpus;
    this.#personTitles = personTitles;
  }

  /** Identifies the corpus: cursors of one corpus are invalid in another. */
  get identity(): readonly number[] {
    const { seed, size, reairings } = this.corpus;
    return reairings ? [seed, size, 1] : [seed, size];
  }

  /** Bills by title, with lost letters or without, and by number in every common spelling. */
  get bills(): TextIndex {
    this.#bills ??= new TextIndex(
      this.corpus.bills.map((bill) =>
        bill.listed ? [...new Set([bill.row.billtitle, bill.spokenTitle, ...bill.numberForms])] : [],
      ),
    );
    return this.#bills;
  }

  /** Mentions by spoken text. */
  get mentions(): TextIndex {
    this.#mentions ??= new TextIndex(this.corpus.mentions.map(({ captions }) => [captions.pieces]));
    return this.#mentions;
  }

  /** The row that this archive sends for a mention. */
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

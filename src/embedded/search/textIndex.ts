/** A text, or the pieces that it consists of. A phrase may span pieces, a word may not. */
export type IndexedText = string | readonly string[];

/** Between the texts of a document, so that no phrase spans two of them. No token looks like it. */
const GAP = " | ";

/** A distinct text or piece, and the documents that contain it: many documents share pieces, so words are looked up in these. */
interface Piece {
  readonly words: readonly string[];
  readonly documents: number[];
}

/** An inverted index of short texts: finds documents by word or phrase. Documents are numbered in input order; results ascend. */
export class TextIndex {
  readonly #documents: readonly (readonly IndexedText[])[];
  readonly #split: (text: string) => readonly string[];
  readonly #pieces = new Map<string, Piece>();
  readonly #words = new Map<string, Piece[]>();
  /** The documents with a word, once it has been looked for. */
  readonly #found = new Map<string, readonly number[]>();
  /** The words of each document in a string, once a phrase has been looked for in it. */
  readonly #texts: string[] = [];

  /**
   * @param documents the texts of each document
   * @param split splits a text into what can be found. Default: {@link tokens}
   */
  constructor(documents: readonly (readonly IndexedText[])[], split: (text: string) => readonly string[] = tokens) {
    this.#documents = documents;
    this.#split = split;
    for (const [number, texts] of documents.entries()) {
      for (const text of texts) {
        for (const piece of typeof text === "string" ? [text] : text) {
          const { documents: found } = this.#pieces.get(piece) ?? this.#add(piece);
          if (found.at(-1) !== number) found.push(number);
        }
      }
    }
  }

  /** Documents that match a query: text in double quotes as a phrase, and every other word. None for an empty query. */
  search(query: string): readonly number[] {
    return intersection(searchTerms(query).map((phrase) => this.phrase(phrase)));
  }

  containing(text: string): readonly number[] {
    return this.phrase(this.#split(text));
  }

  /** Documents that contain the tokens next to each other. */
  phrase(phrase: readonly string[]): readonly number[] {
    const candidates = intersection(phrase.map((word) => this.#withWord(word)));
    if (phrase.length < 2) return candidates;
    const words = ` ${phrase.join(" ")} `;
    return candidates.filter((document) => this.#textOf(document).includes(words));
  }

  /** Documents with a word that satisfies a predicate, in no order, some several times. */
  where(accepts: (word: string) => boolean): readonly number[] {
    return [...this.#words.keys()].filter(accepts).flatMap((word) => this.#withWord(word));
  }

  #withWord(word: string): readonly number[] {
    const known = this.#found.get(word);
    if (known !== undefined) return known;
    const isFound = new Uint8Array(this.#documents.length);
    for (const { documents } of this.#words.get(word) ?? []) for (const document of documents) isFound[document] = 1;
    const found: number[] = [];
    for (let at = isFound.indexOf(1); at >= 0; at = isFound.indexOf(1, at + 1)) found.push(at);
    this.#found.set(word, found);
    return found;
  }

  /** The words of a document, with spaces around each. */
  #textOf(document: number): string {
    const known = this.#texts[document];
    if (known !== undefined) return known;
    const texts = (this.#documents[document] ?? []).map((text) =>
      (typeof text === "string" ? [text] : text).flatMap((piece) => this.#pieces.get(piece)?.words ?? []).join(" "),
    );
    this.#texts[document] = ` ${texts.join(GAP)} `;
    return this.#texts[document];
  }

  #add(text: string): Piece {
    const piece: Piece = { words: this.#split(text), documents: [] };
    this.#pieces.set(text, piece);
    for (const word of new Set(piece.words)) {
      const pieces = this.#words.get(word);
      if (pieces === undefined) this.#words.set(word, [piece]);
      else pieces.push(piece);
    }
    return piece;
  }
}

/** What all of some ascending lists have in common; nothing without lists. */
function intersection(lists: readonly (readonly number[])[]): readonly number[] {
  const [shortest = [], ...others] = [...lists].sort((a, b) => a.length - b.length);
  return others.reduce((common, list) => {
    let at = 0;
    return common.filter((value) => {
      while (at < list.length && (list[at] as number) < value) at++;
      return list[at] === value;
    });
  }, shortest);
}

/**
 * The phrases of a plain search: text in double quotes, and every other word. An unbalanced quotation mark is ignored.
 *
 * @example
 * searchTerms('climate "green new deal"'); //=> [["climate"], ["green", "new", "deal"]]
 */
export function searchTerms(query: string): string[][] {
  const parts = query.split('"');
  return parts.flatMap((part, at) => {
    const words = tokens(part);
    const isQuoted = at % 2 === 1 && at < parts.length - 1;
    return isQuoted && words.length > 0 ? [words] : words.map((word) => [word]);
  });
}

/** Periods and apostrophes join letters; periods and commas join digits. */
const TOKEN = /[\p{L}\p{N}]+(?:(?:(?<=[0-9])[.,](?=[0-9])|(?<=[^0-9])[.'](?=(?![0-9])[\p{L}\p{N}]))[\p{L}\p{N}]+)*/gu;

/**
 * Splits text into search tokens: lower case, no accents, no punctuation. Spelling variants stay distinct: initials keep their
 * inner periods and spaces separate words, so "H.R. 5376", "HR 5376" and "H R 5376" differ, while "(H.R. 5376)," equals the
 * first. Possessive 's and thousands separators are left out.
 *
 * @example
 * tokens("H.R. 5376, José's 1,200"); //=> ["h.r", "5376", "jose", "1200"]
 */
export function tokens(text: string): string[] {
  const found = fold(text).match(TOKEN) ?? [];
  return found.map((token) => (token.endsWith("'s") ? token.slice(0, -2) : token.replaceAll(",", "")));
}

/** Letters without a Unicode decomposition. */
const LETTERS: Readonly<Record<string, string>> = { ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", đ: "d", "’": "'" };

/**
 * Lower case without accents: the form in which names and words are compared.
 *
 * @example
 * fold("Zoë Sørensen"); //=> "zoe sorensen"
 */
export function fold(text: string): string {
  const plain = text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return plain.replace(/[øłßæœđ’]/g, (letter) => LETTERS[letter] as string);
}

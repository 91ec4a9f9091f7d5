import { spokenText } from "./spokenText.js";

/** The captions of a batch of rows. */
export class Captions {
  /** As the rows have them; null where a row has none. */
  readonly texts: readonly (string | null)[];
  #spoken: readonly (string | null)[] | undefined;

  constructor(texts: readonly (string | null)[]) {
    this.texts = texts;
  }

  /** In the form in which words are compared, see {@link spokenText}. */
  get spoken(): readonly (string | null)[] {
    this.#spoken ??= this.texts.map((text) => (text === null ? null : spokenText(text)));
    return this.#spoken;
  }

  /** Characters in all captions. */
  get length(): number {
    return this.texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  }
}

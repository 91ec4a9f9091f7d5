import type { Row } from "../service/operations/rows.js";
import { type CaptionText, readCaption } from "../util/captionText.js";

/** Reads each text once, however many bills it is compared with. */
export class Captions {
  readonly #known = new Map<string, CaptionText>();

  /** Undefined for a row without text. */
  of({ text }: Row): CaptionText | undefined {
    if (typeof text !== "string" || text.trim() === "") return undefined;
    const caption = this.#known.get(text) ?? readCaption(text);
    this.#known.set(text, caption);
    return caption;
  }
}

/**
 * What is said in a clip, in pieces that many clips have in common: the archive indexes each piece once, and puts them
 * together only when somebody reads them. No word reaches from one piece into the next.
 */
export interface Captions {
  pieces: readonly string[];
  /** Most captions are written in capital letters. */
  capitals: boolean;
}

/** The captions as the row has them. */
export function captionText({ pieces, capitals }: Captions): string {
  const text = pieces.join("");
  return capitals ? text.toUpperCase() : text;
}

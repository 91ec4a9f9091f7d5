/** Something of ours that goes through text which the wire or a received file may hold. */
export interface Loop {
  readonly name: string;
  /** Files, from `src`, whose constructed regular expressions it runs. */
  readonly regexesOf?: readonly string[];
  /** Texts of about this size that could make it slow; texts made of repeated characters and pairs by default. */
  readonly texts?: (size: number) => readonly string[];
  /** Characters of a text, 300,000 by default. */
  readonly size?: number;
  /** Takes the text. It may throw; a promise is not waited for. */
  readonly run: (text: string) => unknown;
}

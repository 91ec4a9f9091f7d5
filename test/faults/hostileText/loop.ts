/** Code that processes text from the service or a received file. */
export interface Loop {
  readonly name: string;
  /** Files below `src` whose run-time regular expressions it covers. */
  readonly regexesOf?: readonly string[];
  /** Texts of about this size that could be slow; by default repeated characters and pairs. */
  readonly texts?: (size: number) => readonly string[];
  /** Maximum characters of a text, if lower than for other loops. */
  readonly size?: number;
  /** Processes the text. It may throw; promises are not awaited. */
  readonly run: (text: string) => unknown;
}

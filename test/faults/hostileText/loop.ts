/** Code that processes text from the service or a received file. */
export interface Loop {
  readonly name: string;
  /** Files below `src` whose constructed regular expressions it runs. */
  readonly regexesOf?: readonly string[];
  /** Texts of about this size that could make it slow; repeated characters and pairs by default. */
  readonly texts?: (size: number) => readonly string[];
  /** The largest number of characters of a text, if it is lower than for other loops. */
  readonly size?: number;
  /** Processes the text. It may throw; promises are not awaited. */
  readonly run: (text: string) => unknown;
}

import { createHash } from "node:crypto";

/**
 * A search of a corpus: parameters of `mentions`, and any columns of your own, which are kept as labels.
 *
 * @example
 * const search: CorpusSearch = { query: '"cost of living"', videotype: "Speech", congress: 117, topic: "prices" };
 */
export interface CorpusSearch {
  /** Word or phrase to search for. Put it in double quotes for an exact phrase: `'"climate change"'`. */
  query: string;
  /** Id of the speaker. Default: every speaker. */
  personid?: number | string | null | undefined;
  /** Type of video, for example `"Speech"`. Default: every type. */
  videotype?: string | null | undefined;
  /** Day of the mentions, yyyy-mm-dd in UTC. Default: every day. */
  date?: string | null | undefined;
  /** First day of the mentions, yyyy-mm-dd in UTC. Default: no lower bound. */
  mindate?: string | null | undefined;
  /** Last day of the mentions, yyyy-mm-dd in UTC. Default: today. */
  maxdate?: string | null | undefined;
  /** A Congress, `117` or `"117th"`, instead of `mindate` and `maxdate`. */
  congress?: number | string | null | undefined;
  /** A label of your own. */
  readonly [label: string]: unknown;
}

/** A checked search. */
export interface Search {
  /** See {@link searchId}. */
  readonly id: string;
  /** The parameters as they are sent, without a limit. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The id of a search: twelve hexadecimal digits of the SHA-256 of its parameters. Labels do not count.
 *
 * @example
 * searchId({ query: "ai", videotype: "Speech" }); //=> "3bd9c1deb3a2"
 */
export function searchId(parameters: Readonly<Record<string, string>>): string {
  return createHash("sha256")
    .update(JSON.stringify(Object.entries(parameters).sort()))
    .digest("hex")
    .slice(0, 12);
}

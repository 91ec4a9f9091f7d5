import { createHash } from "node:crypto";
import { invalid } from "../../errors/validators.js";
import { isPlainObject } from "../../util/isObject.js";

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

/** The id of a search: twelve hexadecimal digits of the SHA-256 of its parameters. Labels do not count. */
export function searchId(parameters: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(Object.entries(parameters).sort());
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

const MAX_SEARCHES = 100_000;

/** The values of each parameter or label of {@link cross}: a list, or one value for all searches. */
export interface CrossValues {
  /** Words or phrases to search for. */
  readonly query: string | readonly string[];
  /** Further parameters and labels. */
  readonly [name: string]: unknown;
}

/**
 * Every combination of the values of some parameters, as a list of searches.
 *
 * @throws ValidationError for an empty list of values, or more than 100,000 combinations
 * @example
 * cross({ query: ["inflation", "prices"], congress: [117, 118] });
 * //=> [{ query: "inflation", congress: 117 }, { query: "inflation", congress: 118 },
 * //    { query: "prices", congress: 117 }, { query: "prices", congress: 118 }]
 * const people = await archive.people({ last: "Pelosi" });
 * cross({ query: "budget", personid: valuesOf(people, "id") }); // what these people have said
 */
export function cross(values: CrossValues): CorpusSearch[] {
  if (!isPlainObject(values))
    throw invalid("values", values, 'Give lists, for example { query: ["inflation", "prices"] }.');
  let searches: Array<Record<string, unknown>> = [{}];
  for (const [name, given] of Object.entries(values)) {
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (list.length === 0) throw invalid(name, given, `Give at least one value, or leave ${name} out.`);
    if (searches.length * list.length > MAX_SEARCHES)
      throw invalid(name, given, "These are more than 100,000 searches. Give fewer values.");
    searches = searches.flatMap((search) => list.map((value) => ({ ...search, [name]: value })));
  }
  return searches as unknown as CorpusSearch[];
}

import { invalid } from "../../errors/validators.js";
import { isPlainObject } from "../../util/isObject.js";
import type { CorpusSearch } from "./search.js";

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
      throw invalid(
        name,
        given,
        `These are more than ${MAX_SEARCHES.toLocaleString("en-US")} searches. Give fewer values.`,
      );
    searches = searches.flatMap((search) => list.map((value) => ({ ...search, [name]: value })));
  }
  return searches as unknown as CorpusSearch[];
}

import { formatCount } from "../../util/counts.js";
import { listed } from "../../util/quoted.js";
import { typedQuery } from "../../util/typedQuery.js";
import type { Pattern } from "../pattern.js";
import type { By } from "../source/grouping.js";
import type { CountRequest } from "./countRates.js";
import type { Per } from "./tallies.js";

/** What rates were counted, for the step of a result. */
interface RatesFacts {
  readonly patterns: Pattern | readonly Pattern[];
  readonly per: Per;
  readonly by?: By | undefined;
  readonly once?: boolean | undefined;
  readonly baseline: CountRequest["baseline"];
  readonly confidence: number;
  /** The column of the clusters, if there are any. */
  readonly clusters?: string | undefined;
  /** Further facts, in words. */
  readonly more?: readonly (string | false | undefined)[];
}

/** Phrases as they were typed, and regular expressions. */
export function patternsText(patterns: Pattern | readonly Pattern[]): string {
  return listed([patterns].flat().map((each) => (typeof each === "string" ? typedQuery(each) : String(each))));
}

/** Rates in words. The unit comes first: charts read it there. */
export function ratesText({ patterns, per, by, once, baseline, confidence, clusters, more = [] }: RatesFacts): string {
  const unit = typeof per === "number" ? `${formatCount(per)} words` : per;
  const parts = [
    `rates per ${unit} of ${patternsText(patterns)}${by === undefined ? "" : ` by ${listed([by].flat() as string[])}`}`,
    once && "each speech once",
    baseline !== undefined && `with ${baseline === "own rows" ? "their own rows" : "other speech"} as the baseline`,
    ...more,
    `${Math.round(1000 * confidence) / 10} % intervals${clusters === undefined ? "" : ` clustered by ${clusters}`}`,
  ];
  return parts.filter(Boolean).join(", ");
}

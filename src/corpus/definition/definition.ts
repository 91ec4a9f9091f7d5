import type { Period } from "../../util/period.js";
import type { Search } from "./search.js";

/** A table that is filled by lookups. */
export type Lookup = "people" | "programs";

export const LOOKUPS: readonly Lookup[] = ["people", "programs"];

/** What a corpus consists of: the content of `corpus.json`. */
export interface Definition {
  /** The name of the service, as in provenance. */
  readonly source: string;
  /** How searches are split by date; undefined if they are not. */
  readonly window: Period | undefined;
  /** The last day of searches without one, yyyy-mm-dd. */
  readonly until: string;
  readonly lookups: readonly Lookup[];
  readonly searches: readonly Search[];
  /** Windows that were too large for the service: the last day of their first half, by key. */
  readonly splits: Readonly<Record<string, string>>;
}

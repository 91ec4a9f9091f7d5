import { pluralize } from "../util/counts.js";
import type { CorpusCounts } from "./run/runOptions.js";

/** The longest search in a line, in characters. */
export const MAX_SEARCH = 60;

/** How many rows the tables have, in words. */
export function tablesText(rows: Pick<CorpusCounts, "mentions" | "hits" | "people" | "programs">): string {
  const [people, programs] = [pluralize(rows.people, "person", "people"), pluralize(rows.programs, "program")];
  return `${pluralize(rows.mentions, "mention")}, ${pluralize(rows.hits, "hit")}, ${people}, ${programs}`;
}

import type { Step } from "../frames/lineage/step.js";
import { formatCount, pluralize } from "../util/counts.js";
import { groupBy } from "../util/groupBy.js";
import { listed } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import type { SpeechesReport } from "./speechesReport.js";

/** From the speeches that were found to those of the result. Each that was found is in one of the counts. */
export function accountStep({ included, excluded, unresolved, rejected }: SpeechesReport): Step {
  const countOf = (parts: ReadonlyArray<{ readonly speeches: number }>) => sum(parts.map(({ speeches }) => speeches));
  const reasons = [...groupBy(rejected, ({ reason }) => reason)].map(
    ([reason, parts]) => `${formatCount(countOf(parts))}: ${reason}`,
  );
  const omitted = [
    [countOf(rejected), `that the rules for the bill left out (${reasons.join(", ")})`],
    [countOf(excluded), "of other speakers"],
    [countOf(unresolved), "of speakers whose title is unknown"],
  ] as const;
  const without = omitted.flatMap(([count, what]) => (count === 0 ? [] : [`${formatCount(count)} ${what}`]));
  const kept = countOf(included);
  const found = kept + sum(omitted.map(([count]) => count));
  const text = `reduced to ${pluralize(kept, "speech", "speeches")} by ${pluralize(included.length, "speaker")}`;
  const all = without.length > 0 ? `${text}, without ${listed(without)}` : text;
  return { verb: "speechesOnBill", text: all, rows: [found, kept] };
}

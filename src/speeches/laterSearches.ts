import type { Captions } from "./captions.js";
import { titlePatterns } from "./judge/titlePattern.js";
import { possibleKinds } from "./knownKind.js";
import { mergeSpeeches } from "./mergeSpeeches.js";
import { type BillPlan, type SpeechesPlan, type SpeechSearch, searchesFor } from "./planSpeeches.js";
import { type QueryVariant, variant } from "./queryVariants.js";
import { repairTitle, vocabularyOf } from "./repairTitle.js";
import type { SearchRun } from "./runSearches.js";

/**
 * The searches that follow from what was found, by bill: the other forms of a number whose kind is now known, and a title
 * that lost letters as the texts say it.
 */
export function laterSearches(
  { bills, videotypes }: SpeechesPlan,
  searchesByBill: readonly SearchRun[][],
  captions: Captions,
): SpeechSearch[][] {
  return bills.map((bill, at) => {
    const runs = searchesByBill[at] ?? [];
    const variants = [...spokenTitles(bill, runs, captions), ...otherForms(bill, runs, captions)];
    return searchesFor(variants, videotypes, bill);
  });
}

function otherForms({ later, judged }: BillPlan, runs: readonly SearchRun[], captions: Captions): QueryVariant[] {
  if (later.length === 0) return [];
  const kinds = possibleKinds(judged, mergeSpeeches(runs).speeches, captions);
  const isKnown = kinds.length === 1;
  return later
    .filter(({ kind }) => kind === undefined || kinds.includes(kind))
    .map(({ query, form, isAmbiguous }) => ({ query, form, isAmbiguous: isAmbiguous && !isKnown }));
}

/** A title that lost letters, if words of the texts repair it in another way. */
function spokenTitles(
  { variants, damagedTitle }: BillPlan,
  runs: readonly SearchRun[],
  captions: Captions,
): QueryVariant[] {
  if (damagedTitle === undefined) return [];
  const words = new Set(
    runs.flatMap(({ rows }) => rows.flatMap((row) => captions.of(row)?.words ?? [])).map(({ text }) => text),
  );
  const repaired = repairTitle(damagedTitle, vocabularyOf(words));
  const known = new Set(variants.map(({ query }) => query.toLowerCase()));
  return titlePatterns(repaired?.title ?? "")
    .map(({ title }) => variant(title, "title in the texts"))
    .filter(({ query }) => !known.has(query.toLowerCase()));
}

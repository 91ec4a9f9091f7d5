import type { BillKind } from "./judge/billKinds.js";
import type { BillPlan } from "./planSpeeches.js";
import { isWithin, type QueryVariant, TITLE_STEM } from "./queryVariants.js";
import { isReplaced, type SearchRun } from "./runSearches.js";

export interface SkippedVariant extends QueryVariant {
  readonly reason: string;
}

/**
 * Chooses among the queries for a bill that have not been sent, by what has been found so far. A query is not sent
 *
 * - if the title without its last word finds it, too,
 * - if the form before it has found nothing,
 * - if the service takes it for a form that was searched,
 * - if it joins the number to its prefix, and many texts with the number never do,
 * - if it names a chamber that the bill is not of.
 *
 * @param kinds the kinds that the bill may have
 * @param equal forms that the service takes for others
 */
export function laterVariants(
  { variants, judged }: BillPlan,
  runs: readonly SearchRun[],
  kinds: readonly BillKind[],
  equal: ReadonlySet<string>,
) {
  const send: QueryVariant[] = [];
  const skipped: SkippedVariant[] = [];
  // A form that the service takes for the form before it was found together with that one.
  const searched = (query: string): string => {
    const same = variants.find((one) => one.query === query && equal.has(one.form));
    return same?.after === undefined ? query : searched(same.after);
  };
  const naming = textsWith(judged?.number, runs);
  for (const one of variants) {
    if (runsOf(one.query, runs).length > 0) continue;
    const skip = (reason: string) => skipped.push({ ...one, reason });
    const stem = variants.find((other) => other.form === TITLE_STEM && isWithin(one, other));
    const after = one.after === undefined ? undefined : searched(one.after);
    if (stem !== undefined && !runsOf(stem.query, runs).some(isReplaced)) skip(`${stem.query} finds it, too`);
    else if (after !== undefined && !runsOf(after, runs).some(({ rows }) => rows.length > 0))
      skip(`${after} found nothing`);
    else if (equal.has(one.form)) skip("the service takes it for a form that was searched");
    else if (one.kind !== undefined && !kinds.includes(one.kind)) skip("the texts name another chamber");
    else if (isGlued(one) && naming.length >= MIN_TEXTS && !naming.some((text) => isSpelled(one.query, text)))
      skip("no text spells it so");
    else send.push({ ...one, isAmbiguous: one.isAmbiguous === true && kinds.length > 1 });
  }
  return { send, skipped };
}

/** The different texts that have a number. */
function textsWith(number: string | undefined, runs: readonly SearchRun[]): string[] {
  const found = new Set<string>();
  if (number === undefined) return [];
  for (const { rows } of runs)
    for (const { text } of rows) if (typeof text === "string" && text.includes(number)) found.add(text);
  return [...found];
}

/** This many texts with the number are enough to show how it is spelled. */
const MIN_TEXTS = 8;

function isGlued({ form }: QueryVariant): boolean {
  return /[\p{L}.]#/u.test(form);
}

/** The forms of later queries that the service takes for the form before: either has found a text that has the other form only. */
export function equalForms({ variants }: BillPlan, runs: readonly SearchRun[]): string[] {
  const finds = (query: string, found: string, missing: string) =>
    runsOf(query, runs).some(({ rows }) =>
      rows.some(({ text }) => typeof text === "string" && isSpelled(found, text) && !isSpelled(missing, text)),
    );
  const isEqual = ({ form, query, after }: QueryVariant) =>
    form !== TITLE_STEM && after !== undefined && (finds(after, query, after) || finds(query, after, query));
  return variants.filter(isEqual).map(({ form }) => form);
}

function runsOf(query: string, runs: readonly SearchRun[]): SearchRun[] {
  return runs.filter(({ search }) => search.query.toLowerCase() === query.toLowerCase());
}

/** Whether a text has a phrase to the letter, capitals and white space aside. */
function isSpelled(query: string, text: string): boolean {
  const words = query.replaceAll('"', "").toLowerCase();
  const spoken = text.toLowerCase().replace(/\s+/g, " ");
  for (let at = spoken.indexOf(words); at >= 0; at = spoken.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isWithin =
      WORD_END.test(spoken.slice(Math.max(0, at - 2), at)) || WORD_GOES_ON.test(spoken.slice(end, end + 3));
    if (!isWithin) return true;
  }
  return false;
}

/** "S.2410": the service may or may not split such a word. */
const WORD_END = /[\p{L}\p{N}]\.?$/u;
const WORD_GOES_ON = /^['’,.]?[\p{L}\p{N}]/u;

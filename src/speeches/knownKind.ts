import type { Row } from "../service/operations/rows.js";
import type { Captions } from "./captions.js";
import type { BillKind } from "./judge/billKinds.js";
import type { JudgedBill } from "./judge/judge.js";
import { type KindEvidence, kindEvidence } from "./judge/kindEvidence.js";
import type { Speech } from "./mergeSpeeches.js";

/**
 * Decides from the texts of which kind the number of a bill is, if it was given without a prefix. The strongest evidence that
 * there is decides:
 *
 * 1. the kinds that texts give right beside the title of the bill;
 * 2. all kinds but those that texts give beside another title;
 * 3. of these, the only one that is named in a program that names the title, or in a text with one of its words.
 *
 * @returns the bill with fewer kinds, or as it was if no text decides
 */
export function withKnownKind(bill: JudgedBill, speeches: readonly Speech[], captions: Captions): JudgedBill {
  if (bill.kinds.length < 2) return bill;
  const evidence = speeches.flatMap(({ row }): Array<KindEvidence & { program: unknown }> => {
    const caption = captions.of(row);
    return caption === undefined ? [] : [{ ...kindEvidence(caption, bill), program: programOf(row) }];
  });
  const own = new Set(evidence.flatMap((one) => one.own));
  if (own.size > 0) return { ...bill, kinds: [...own] };
  const others = new Set(evidence.flatMap((one) => one.others));
  const remaining = bill.kinds.filter((kind) => !others.has(kind));
  const programs = new Set(evidence.filter(({ hasTitle }) => hasTitle).map(({ program }) => program));
  programs.delete(undefined);
  const near = new Set(
    evidence.filter(({ program, hasTitleWord }) => hasTitleWord || programs.has(program)).flatMap(({ alone }) => alone),
  );
  const isDecided = near.size === 1 && remaining.some((kind) => near.has(kind));
  const kinds = isDecided ? [...near] : remaining;
  return kinds.length > 0 ? { ...bill, kinds } : bill;
}

/** The kinds that a bill may still have, after what was found about its number. */
export function possibleKinds(
  bill: JudgedBill | undefined,
  speeches: readonly Speech[],
  captions: Captions,
): readonly BillKind[] {
  return bill === undefined ? [] : withKnownKind(bill, speeches, captions).kinds;
}

function programOf({ programid, programPublicId }: Row): unknown {
  return programid ?? programPublicId ?? undefined;
}

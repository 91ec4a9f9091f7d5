/** A kind of measure, as Congress abbreviates it: H.R., S., H.Res., …, and amendments of both chambers. */
export type BillKind = "hr" | "s" | "hres" | "sres" | "hjres" | "sjres" | "hconres" | "sconres" | "hamdt" | "samdt";

interface KindFacts {
  readonly chamber: "House" | "Senate";
  /** The highest number of the corpus. */
  readonly highest: number;
  /** How one types the number; `#` stands for the digits. */
  readonly typed: string;
  /** Spellings in captions; common ones appear several times. */
  readonly forms: readonly string[];
  /** Rarer spellings that a search has to know: without a space, with spaced initials. */
  readonly rareForms: readonly string[];
  /** Before a number in words. */
  readonly beforeWords: readonly string[];
}

/** All kinds. Each numbers its measures from 1 in every Congress. */
export const BILL_KINDS: Readonly<Record<BillKind, KindFacts>> = {
  hr: {
    chamber: "House",
    highest: 9_800,
    typed: "H.R. #",
    forms: ["H.R. #", "H.R. #", "H.R. #", "HR #", "HR #", "H R #", "H R #", "H.R.#", "House Bill #"],
    rareForms: ["HR#", "H. R. #"],
    beforeWords: ["H.R. ", "H.R. ", "H R ", "HR ", "House Bill "],
  },
  s: {
    chamber: "Senate",
    highest: 5_200,
    typed: "S. #",
    forms: ["S. #", "S. #", "S. #", "S #", "S.#", "Senate Bill #"],
    rareForms: ["S#"],
    beforeWords: ["S. ", "S ", "Senate Bill ", "Senate Bill "],
  },
  hres: {
    chamber: "House",
    highest: 1_500,
    typed: "H. Res. #",
    forms: ["House Resolution #", "House Resolution #", "House Resolution #", "H. Res. #", "H Res #"],
    rareForms: ["H.Res. #", "HRES #"],
    beforeWords: ["House Resolution ", "House Resolution ", "H. Res. "],
  },
  sres: {
    chamber: "Senate",
    highest: 900,
    typed: "S. Res. #",
    forms: ["Senate Resolution #", "Senate Resolution #", "Senate Resolution #", "S. Res. #", "S Res #"],
    rareForms: ["S.Res. #", "SRES #"],
    beforeWords: ["Senate Resolution ", "Senate Resolution ", "S. Res. "],
  },
  hjres: {
    chamber: "House",
    highest: 180,
    typed: "H.J. Res. #",
    forms: ["House Joint Resolution #", "House Joint Resolution #", "H.J. Res. #", "HJ Res #", "H J Res #"],
    rareForms: ["H.J.Res. #", "HJRES #"],
    beforeWords: ["House Joint Resolution ", "H.J. Res. "],
  },
  sjres: {
    chamber: "Senate",
    highest: 110,
    typed: "S.J. Res. #",
    forms: ["Senate Joint Resolution #", "Senate Joint Resolution #", "S.J. Res. #", "SJ Res #", "S J Res #"],
    rareForms: ["S.J.Res. #", "SJRES #"],
    beforeWords: ["Senate Joint Resolution ", "S.J. Res. "],
  },
  hconres: {
    chamber: "House",
    highest: 130,
    typed: "H. Con. Res. #",
    forms: ["House Concurrent Resolution #", "House Concurrent Resolution #", "H. Con. Res. #", "H Con Res #"],
    rareForms: ["H.Con.Res. #"],
    beforeWords: ["House Concurrent Resolution ", "H. Con. Res. "],
  },
  sconres: {
    chamber: "Senate",
    highest: 60,
    typed: "S. Con. Res. #",
    forms: ["Senate Concurrent Resolution #", "Senate Concurrent Resolution #", "S. Con. Res. #", "S Con Res #"],
    rareForms: ["S.Con.Res. #"],
    beforeWords: ["Senate Concurrent Resolution ", "S. Con. Res. "],
  },
  hamdt: {
    chamber: "House",
    highest: 900,
    typed: "H. Amdt. #",
    forms: ["House amendment #", "amendment number #", "amendment #", "amendment no. #", "H. Amdt. #"],
    rareForms: ["H.Amdt. #"],
    beforeWords: ["House amendment ", "amendment number "],
  },
  samdt: {
    chamber: "Senate",
    highest: 6_400,
    typed: "S. Amdt. #",
    forms: ["Senate amendment #", "amendment number #", "amendment #", "amendment #", "amendment no. #", "S. Amdt. #"],
    rareForms: ["S.Amdt. #"],
    beforeWords: ["Senate amendment ", "amendment number "],
  },
};

/** Whether measures of a kind have a title that people say: "the Inflation Reduction Act". */
export function isAct(kind: BillKind): boolean {
  return kind === "hr" || kind === "s";
}

/**
 * A number as one types it.
 *
 * @example
 * typedNumber("sjres", "10"); //=> "S.J. Res. 10"
 */
export function typedNumber(kind: BillKind, digits: string): string {
  return BILL_KINDS[kind].typed.replace("#", digits);
}

/**
 * The usual spellings of a number in captions; common ones appear several times.
 *
 * @example
 * numberForms("hr", "5376"); //=> ["H.R. 5376", …, "HR 5376", …, "House Bill 5376"]
 */
export function numberForms(kind: BillKind, digits: string): readonly string[] {
  return BILL_KINDS[kind].forms.map((form) => form.replace("#", digits));
}

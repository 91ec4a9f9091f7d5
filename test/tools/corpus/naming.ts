import { acronyms, hasYear, isAct, numberWords, shortTitle, withoutYear, yearOf } from "./billNames.js";
import type { Bill } from "./bills.js";
import type { Random } from "./random.js";
import { BEFORE_TITLES, BILL_KINDS } from "./vocabulary.js";

/** What of a bill a passage says. */
export type Named = "title" | "number" | "both" | "short title" | "acronym";

/** What makes a passage hard to link to its bill. */
export type HardCase =
  | "spoken number"
  | "spelled number"
  | "line break"
  | "hyphen"
  | "caption error"
  | "words before"
  | "year left out"
  | "year added"
  | "short title"
  | "acronym"
  | "two bills"
  | "unidentified speaker";

export interface Naming {
  readonly bill: Bill;
  readonly named: Named;
  readonly hard: readonly HardCase[];
}

interface Said {
  readonly pieces: readonly string[];
  readonly hard: readonly HardCase[];
}

/** How a speaker refers to a bill: by title, by number, by both, or by a short form of the title. */
export function nameBill(random: Random, bill: Bill): { pieces: readonly string[]; naming: Naming } {
  const named = wayOf(random, bill);
  const { pieces, hard } = sayBill(random, bill, named);
  return { pieces, naming: { bill, named, hard } };
}

/** People say the titles of acts and the numbers of resolutions. Amendments have only a number. */
function wayOf(random: Random, bill: Bill): Named {
  const draw = random.below(100);
  if (bill.spokenTitle === "") return "number";
  if (!isAct(bill.kind)) return draw < 60 ? "number" : draw < 85 ? "both" : "title";
  if (draw < 24) return "number";
  if (draw < 49) return "both";
  if (draw < 51) return "short title";
  return draw < 53 && acronyms(bill.spokenTitle).length > 0 ? "acronym" : "title";
}

function sayBill(random: Random, bill: Bill, named: Named): Said {
  if (named === "number") return number(random, bill);
  if (named === "title") return title(random, bill);
  if (named === "short title") return { pieces: ["the ", shortTitle(bill.spokenTitle)], hard: ["short title"] };
  if (named === "acronym") return { pieces: ["the ", random.pick(acronyms(bill.spokenTitle))], hard: ["acronym"] };
  const [digits, words] = [number(random, bill), title(random, bill)];
  const [first, second] = random.chance(0.75) ? [digits, words] : [words, digits];
  return {
    pieces: [...first.pieces, ", ", ...second.pieces],
    hard: [...new Set([...digits.hard, ...words.hard])],
  };
}

function number(random: Random, bill: Bill): Said {
  const draw = random.below(100);
  const digits = bill.row.billnumber;
  const { beforeWords, rareForms } = BILL_KINDS[bill.kind];
  if (draw < 84) return { pieces: [random.pick(bill.numberForms)], hard: [] };
  if (draw < 89) return { pieces: [random.pick(rareForms).replace("#", digits)], hard: ["spelled number"] };
  if (draw < 90) return { pieces: [bill.number.replace(digits, withThousands(digits))], hard: ["spelled number"] };
  if (draw < 93) return { pieces: [random.pick(bill.numberForms).replace(" ", "\n")], hard: ["line break"] };
  const words = numberWords(Number(digits));
  const [first = ""] = words;
  const said = random.chance(0.6) ? first : random.pick(words);
  // Only a long number can be said without "H.R.".
  const before = digits.length === 4 && random.chance(0.15) ? "" : random.pick(beforeWords);
  return { pieces: [before, said], hard: ["spoken number"] };
}

function withThousands(digits: string): string {
  return digits.length === 4 ? `${digits[0]},${digits.slice(1)}` : digits;
}

function title(random: Random, bill: Bill): Said {
  if (!isAct(bill.kind)) {
    const clause = bill.spokenTitle.charAt(0).toLowerCase() + bill.spokenTitle.slice(1);
    return { pieces: ["the resolution ", clause], hard: [] };
  }
  const draw = random.below(100);
  const whole = bill.spokenTitle;
  const the = (text: string, ...hard: HardCase[]): Said => ({ pieces: ["the ", text], hard });
  if (hasYear(whole) && draw < 45) return the(withoutYear(whole), "year left out");
  if (draw < 4) return the(replaceSpace(random, whole, "\n"), "line break");
  if (draw < 5) return the(replaceSpace(random, whole, "-"), "hyphen");
  if (draw < 7) return the(withError(random, whole), "caption error");
  if (draw < 11) return { pieces: [random.pick(BEFORE_TITLES), whole], hard: ["words before"] };
  if (draw < 14 && !hasYear(whole)) return the(`${whole} of ${yearOf(random, bill.row.congress)}`, "year added");
  return the(whole);
}

function replaceSpace(random: Random, text: string, separator: string): string {
  const words = text.split(" ");
  const at = random.between(1, words.length - 1);
  return `${words.slice(0, at).join(" ")}${separator}${words.slice(at).join(" ")}`;
}

/** A word as a captioner mistypes it: a letter left out, doubled or swapped, or the word broken in two. */
function withError(random: Random, text: string): string {
  const words = text.split(" ");
  const long = words.flatMap((word, index) => (word.length > 4 ? [index] : []));
  const index = long.length > 0 ? random.pick(long) : 0;
  const word = words[index] ?? "";
  const at = random.between(1, Math.max(1, word.length - 3));
  const [before, letter, next, rest] = [word.slice(0, at), word[at] ?? "", word[at + 1] ?? "", word.slice(at + 2)];
  const wrong = random.pick([
    `${before}${next}${rest}`,
    `${before}${letter}${letter}${next}${rest}`,
    `${before}${next}${letter}${rest}`,
    `${before}${letter} ${next}${rest}`,
  ]);
  // Swapping two equal letters changes nothing.
  words[index] = wrong === word ? `${word}s` : wrong;
  return words.join(" ");
}

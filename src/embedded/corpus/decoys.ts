import { acronyms, hasYear, isAct, numberWords, typedNumber } from "./billNames.js";
import type { Bill } from "./bills.js";
import type { Statement } from "./captions.js";
import type { Random } from "./random.js";
import { BILL_KINDS, type BillKind, DECOY_SENTENCES, STATES } from "./vocabulary.js";

/** Why a passage looks as if it were about a bill, and is not. */
export type DecoyReason =
  | "other kind"
  | "longer title"
  | "other Congress"
  | "other year"
  | "full stop"
  | "amount"
  | "section"
  | "longer number"
  | "U.S. 1"
  | "record page"
  | "other number"
  | "acronym";

/** A statement that looks as if it were about a bill. */
export interface Decoy extends Statement {
  readonly about: Bill;
  readonly why: DecoyReason;
}

/** The bills of a corpus, to see whether a made-up number or title is that of a real one. */
export class KnownBills {
  readonly #known = new Set<string>();

  constructor(bills: readonly Bill[]) {
    for (const { kind, row, spokenTitle } of bills) {
      this.#known.add(`${row.congress} ${kind} ${row.billnumber}`).add(`${row.congress} ${spokenTitle}`);
    }
  }

  has(congress: number, kind: BillKind, digits: string): boolean {
    return this.#known.has(`${congress} ${kind} ${digits}`);
  }

  hasTitle(congress: number, title: string): boolean {
    return this.#known.has(`${congress} ${title}`);
  }
}

/** Makes a statement; undefined if it does not fit the bill. */
type Make = (random: Random, bill: Bill, known: KnownBills) => Statement | undefined;

/**
 * A statement that is not about a bill although it shares words or digits with it.
 *
 * @returns undefined if none of a few drawn at random fits the bill
 */
export function makeDecoy(random: Random, bill: Bill, known: KnownBills): Decoy | undefined {
  for (let tries = 0; tries < 6; tries++) {
    const [why, make] = random.pick(DECOYS);
    const statement = make(random, bill, known);
    if (statement !== undefined) return { about: bill, why, ...statement };
  }
  return undefined;
}

/** Sentences are few and shared; the {bill} of each is its own. */
const say = (sentence: string, ...bill: string[]): Statement => ({ sentence, bill });
const digitsOf = ({ row }: Bill): string => row.billnumber;
const ordinal = (congress: number): string => `${congress}th`;

const DECOYS: readonly (readonly [DecoyReason, Make])[] = [
  ["other kind", otherKind],
  ["other kind", otherKind],
  ["longer title", longer],
  ["longer title", longer],
  ["other Congress", otherCongress],
  ["other year", otherYear],
  ["full stop", fullStop],
  ["amount", (random, bill) => say(random.pick(DECOY_SENTENCES.amounts), digitsOf(bill))],
  ["section", (random, bill) => say(random.pick(DECOY_SENTENCES.sections), digitsOf(bill))],
  ["longer number", longerNumber],
  [
    "U.S. 1",
    (random, bill) => (bill.chamber === "Senate" ? say(random.pick(DECOY_SENTENCES.roads), digitsOf(bill)) : undefined),
  ],
  [
    "record page",
    (random, bill) => (bill.kind === "s" ? say(random.pick(DECOY_SENTENCES.pages), digitsOf(bill)) : undefined),
  ],
  ["other number", otherNumber],
  ["acronym", acronym],
];

/** The same digits before another prefix: S. 12 for H.R. 12, House Resolution 12 for H.R. 12. */
function otherKind(random: Random, bill: Bill, known: KnownBills): Statement | undefined {
  const digits = digitsOf(bill);
  const others = (Object.keys(BILL_KINDS) as BillKind[]).filter(
    (kind) => kind !== bill.kind && Number(digits) <= BILL_KINDS[kind].highest && !kind.endsWith("amdt"),
  );
  if (others.length === 0) return undefined;
  const kind = random.pick(others);
  if (known.has(bill.row.congress, kind, digits)) return undefined;
  const number = random.chance(0.8)
    ? random.pick(BILL_KINDS[kind].forms).replace("#", digits)
    : `${random.pick(BILL_KINDS[kind].beforeWords)}${numberWords(Number(digits))[0]}`;
  return say(random.pick(DECOY_SENTENCES.otherKinds), number);
}

/** A longer title around that of the bill, of a bill that is not in the corpus. */
function longer(random: Random, bill: Bill, known: KnownBills): Statement | undefined {
  if (!isAct(bill.kind) || hasYear(bill.spokenTitle)) return undefined;
  const { spokenTitle } = bill;
  const title = random.pick([
    ["America's ", spokenTitle],
    [`${random.pick(STATES)} `, spokenTitle],
    ["Federal ", spokenTitle],
    [spokenTitle, " Amendments"],
  ]);
  if (known.hasTitle(bill.row.congress, title.join(""))) return undefined;
  return say(random.pick(DECOY_SENTENCES.longerTitles), ...title);
}

/** A bill of an earlier Congress with the same title or number. */
function otherCongress(random: Random, bill: Bill): Statement | undefined {
  const { congress } = bill.row;
  const before = ordinal(congress - random.between(1, 3));
  const number = random.pick(bill.numberForms);
  const died = say("{bill} congress died in committee, as you all remember.", number, " of the ", before);
  if (!isAct(bill.kind)) return died;
  return random.pick([
    died,
    say("in the {bill} was about something else entirely.", before, " congress, ", number),
    say("the {bill} congress never had a vote.", bill.spokenTitle, " of the ", before),
    say("I opposed {bill} in the last congress, and it was not this bill.", number),
  ]);
}

/** An old law of the same title. */
function otherYear(random: Random, bill: Bill): Statement | undefined {
  if (!isAct(bill.kind) || hasYear(bill.spokenTitle)) return undefined;
  const year = random.between(1962, 2006);
  return say(random.pick(DECOY_SENTENCES.otherYears), bill.spokenTitle, ` of ${year}`);
}

/** The words of the title on both sides of a full stop. */
function fullStop(random: Random, bill: Bill): Statement | undefined {
  if (!/ Act$/.test(bill.spokenTitle)) return undefined;
  const words = bill.spokenTitle.slice(0, -4).toLowerCase();
  return say(random.pick(DECOY_SENTENCES.fullStops), words);
}

/** A number that begins or ends with the digits of the bill. */
function longerNumber(random: Random, bill: Bill, known: KnownBills): Statement | undefined {
  const digits = `${digitsOf(bill)}${random.below(10)}`;
  if (known.has(bill.row.congress, bill.kind, digits) || digits.length > 5) return undefined;
  const written = digits.length === 4 && random.chance(0.3) ? `${digits[0]},${digits.slice(1)}` : digits;
  return say("we have not reached {bill} yet, and we will not reach it today.", typedNumber(bill.kind, written));
}

/** The title with the number of another bill: the companion in the other chamber, or a bill of the same name. */
function otherNumber(random: Random, bill: Bill, known: KnownBills): Statement | undefined {
  if (!isAct(bill.kind)) return undefined;
  const kind = bill.kind === "hr" ? "s" : "hr";
  const digits = String(random.between(11, BILL_KINDS[kind].highest));
  if (known.has(bill.row.congress, kind, digits)) return undefined;
  const number = random.pick(BILL_KINDS[kind].forms).replace("#", digits);
  return random.pick([
    say("I rise in support of {bill}.", number, ", the ", bill.spokenTitle),
    say("the {bill}, has {n} cosponsors in the other body.", bill.spokenTitle, ", ", number),
  ]);
}

/** The initials of the title, said of something else. */
function acronym(random: Random, bill: Bill): Statement | undefined {
  const initials = isAct(bill.kind) ? acronyms(bill.spokenTitle) : [];
  if (initials.length === 0) return undefined;
  return random.pick([
    say("my {bill} is down {n} dollars this quarter, and I am not alone.", random.pick(initials)),
    say("the agency that we call the {bill} has {n} people in {state}.", random.pick(initials)),
  ]);
}

import { acronyms, hasYear, isAct, numberWords, typedNumber } from "./billNames.js";
import type { Bill } from "./bills.js";
import type { Statement } from "./captions.js";
import type { Random } from "./random.js";
import { BILL_KINDS, type BillKind, DECOY_SENTENCES, STATES } from "./vocabulary.js";

/** Why a passage looks as if it were about a bill, and is not. */
export type DecoyReason = (typeof DECOYS)[number][0];

export interface Decoy extends Statement {
  readonly about: Bill;
  readonly why: DecoyReason;
}

/** Makes a statement; undefined if it does not fit the bill, or if `known` has its number or title: then it is about a real one. */
type Make = (random: Random, bill: Bill, known: ReadonlySet<string>) => Statement | undefined;

export function knownNames(bills: readonly Bill[]): ReadonlySet<string> {
  return new Set(
    bills.flatMap(({ kind, row, spokenTitle }) => [
      `${row.congress} ${kind} ${row.billnumber}`,
      `${row.congress} ${spokenTitle}`,
    ]),
  );
}

/**
 * A statement that is not about a bill although it shares words or digits with it.
 *
 * @returns undefined if none of a few drawn at random fits the bill
 */
export function makeDecoy(random: Random, bill: Bill, known: ReadonlySet<string>): Decoy | undefined {
  for (let tries = 0; tries < 6; tries++) {
    const [why, make] = random.pick(DECOYS);
    const statement = make(random, bill, known);
    if (statement !== undefined) return { about: bill, why, ...statement };
  }
  return undefined;
}

/** Sentences are few and shared; the {bill} of each is its own. */
const say = (sentence: string, ...bill: string[]): Statement => ({ sentence, bill });

/** The digits of the bill as something else. */
const digitsIn =
  (sentences: readonly string[], fits: (bill: Bill) => boolean = () => true): Make =>
  (random, bill) =>
    fits(bill) ? say(random.pick(sentences), bill.row.billnumber) : undefined;

/** The same digits before another prefix: S. 12 for H.R. 12, House Resolution 12 for H.R. 12. */
const otherKind: Make = (random, { kind: own, row: { billnumber: digits, congress } }, known) => {
  const others = (Object.keys(BILL_KINDS) as BillKind[]).filter(
    (kind) => kind !== own && Number(digits) <= BILL_KINDS[kind].highest && !kind.endsWith("amdt"),
  );
  if (others.length === 0) return undefined;
  const kind = random.pick(others);
  if (known.has(`${congress} ${kind} ${digits}`)) return undefined;
  const number = random.chance(0.8)
    ? random.pick(BILL_KINDS[kind].forms).replace("#", digits)
    : `${random.pick(BILL_KINDS[kind].beforeWords)}${numberWords(Number(digits))[0]}`;
  return say(random.pick(DECOY_SENTENCES.otherKinds), number);
};

/** A longer title around that of the bill, of a bill that is not in the corpus. */
const longerTitle: Make = (random, { kind, row, spokenTitle }, known) => {
  if (!isAct(kind) || hasYear(spokenTitle)) return undefined;
  const title = random.pick([
    ["America's ", spokenTitle],
    [`${random.pick(STATES)} `, spokenTitle],
    ["Federal ", spokenTitle],
    [spokenTitle, " Amendments"],
  ]);
  if (known.has(`${row.congress} ${title.join("")}`)) return undefined;
  return say(random.pick(DECOY_SENTENCES.longerTitles), ...title);
};

/** A bill of an earlier Congress with the same title or number. */
const otherCongress: Make = (random, { kind, numberForms, row, spokenTitle }) => {
  const before = `${row.congress - random.between(1, 3)}th`;
  const number = random.pick(numberForms);
  const died = say("{bill} congress died in committee, as you all remember.", number, " of the ", before);
  if (!isAct(kind)) return died;
  return random.pick([
    died,
    say("in the {bill} was about something else entirely.", before, " congress, ", number),
    say("the {bill} congress never had a vote.", spokenTitle, " of the ", before),
    say("I opposed {bill} in the last congress, and it was not this bill.", number),
  ]);
};

/** An old law of the same title. */
const otherYear: Make = (random, { kind, spokenTitle }) => {
  if (!isAct(kind) || hasYear(spokenTitle)) return undefined;
  const year = random.between(1962, 2006);
  return say(random.pick(DECOY_SENTENCES.otherYears), spokenTitle, ` of ${year}`);
};

/** The words of the title on both sides of a full stop. */
const fullStop: Make = (random, { spokenTitle }) =>
  / Act$/.test(spokenTitle)
    ? say(random.pick(DECOY_SENTENCES.fullStops), spokenTitle.slice(0, -4).toLowerCase())
    : undefined;

/** A number that begins with the digits of the bill. */
const longerNumber: Make = (random, { kind, row }, known) => {
  const digits = `${row.billnumber}${random.below(10)}`;
  if (known.has(`${row.congress} ${kind} ${digits}`) || digits.length > 5) return undefined;
  const written = digits.length === 4 && random.chance(0.3) ? `${digits[0]},${digits.slice(1)}` : digits;
  return say("we have not reached {bill} yet, and we will not reach it today.", typedNumber(kind, written));
};

/** The title with the number of another bill: the companion in the other chamber, or a bill of the same name. */
const otherNumber: Make = (random, { kind: own, row, spokenTitle }, known) => {
  if (!isAct(own)) return undefined;
  const kind = own === "hr" ? "s" : "hr";
  const digits = String(random.between(11, BILL_KINDS[kind].highest));
  if (known.has(`${row.congress} ${kind} ${digits}`)) return undefined;
  const number = random.pick(BILL_KINDS[kind].forms).replace("#", digits);
  return random.pick([
    say("I rise in support of {bill}.", number, ", the ", spokenTitle),
    say("the {bill}, has {n} cosponsors in the other body.", spokenTitle, ", ", number),
  ]);
};

/** The initials of the title, said of something else. */
const acronym: Make = (random, { kind, spokenTitle }) => {
  const initials = isAct(kind) ? acronyms(spokenTitle) : [];
  if (initials.length === 0) return undefined;
  return random.pick([
    say("my {bill} is down {n} dollars this quarter, and I am not alone.", random.pick(initials)),
    say("the agency that we call the {bill} has {n} people in {state}.", random.pick(initials)),
  ]);
};

const DECOYS = [
  ["other kind", otherKind],
  ["other kind", otherKind],
  ["longer title", longerTitle],
  ["longer title", longerTitle],
  ["other Congress", otherCongress],
  ["other year", otherYear],
  ["full stop", fullStop],
  ["amount", digitsIn(DECOY_SENTENCES.amounts)],
  ["section", digitsIn(DECOY_SENTENCES.sections)],
  ["longer number", longerNumber],
  ["U.S. 1", digitsIn(DECOY_SENTENCES.roads, ({ chamber }) => chamber === "Senate")],
  ["record page", digitsIn(DECOY_SENTENCES.pages, ({ kind }) => kind === "s")],
  ["other number", otherNumber],
  ["acronym", acronym],
] as const satisfies ReadonlyArray<readonly [string, Make]>;

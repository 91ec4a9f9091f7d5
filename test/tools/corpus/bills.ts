import type * as operations from "../../../src/index.js";
import type { FullRow } from "../embedded.js";
import {
  actTitle,
  hasYear,
  isAct,
  longerTitle,
  numberForms,
  resolutionTitle,
  typedNumber,
  withLostLetters,
  withoutYear,
} from "./billNames.js";
import { CONGRESSES, DAY, sittingDays } from "./calendar.js";
import { Random } from "./random.js";
import { BILL_KINDS, type BillKind, FAMOUS_BILLS, SEASONAL_TOPICS, TOPICS, type Topic } from "./vocabulary.js";

/** A row of GET /bills. The number is digits without a prefix, for example "5376". */
export type BillRow = FullRow<operations.BillRow>;

/** A bill, a resolution or an amendment, with facts that its row does not contain. */
export interface Bill {
  row: BillRow;
  /** Whether GET /bills lists it: amendments are spoken of, but not listed. */
  listed: boolean;
  kind: BillKind;
  /** The number as one types it: "H.R. 5376". */
  number: string;
  /** The title as speakers say it, with all its letters. Empty for amendments. */
  spokenTitle: string;
  chamber: "House" | "Senate";
  /** The usual spellings of the number in captions; common ones appear several times. */
  numberForms: readonly string[];
  topic: Topic;
  /** Seconds since 1970. The bill is not mentioned earlier. */
  introduced: number;
  /** How often it is mentioned, a positive integer. */
  weight: number;
  /** Mentioned by hundreds of senators. */
  famous: boolean;
}

const ACTS = 46;
/** Bills of the other chamber with the title of a bill. */
const COMPANIONS = 5;
/** Bills whose title contains that of a bill. */
const LONGER_TITLES = 4;
const RESOLUTIONS = "hres hres sres sres hjres sjres sjres hconres sconres".split(" ") as readonly BillKind[];
const AMENDMENTS: readonly BillKind[] = ["samdt", "samdt", "hamdt"];
/** Both chambers have bills of these numbers, in every Congress. */
const LOW_NUMBERS = ["1", "1", "2", "2", "10", "10"];
/** The Congresses whose titles have lost letters in the live archive. */
const DAMAGED: ReadonlySet<number> = new Set([115, 116, 117]);
const FIRST_ID = 20_000;

/** Generates the bills of every Congress in the order of GET /bills: newest Congress first. */
export function makeBills(seed: number): readonly Bill[] {
  const random = new Random(seed, "bills");
  const bills: Bill[] = [];
  for (const congress of CONGRESSES) bills.push(...billsOf(random, congress, bills));
  return bills.sort((a, b) => b.row.congress - a.row.congress || a.row.id - b.row.id);
}

function billsOf(random: Random, congress: number, earlier: readonly Bill[]): Bill[] {
  const bills: Bill[] = [];
  const { first, last } = sittingDays(congress);
  const days = Math.floor((last - first) / DAY);
  let id = earlier.at(-1)?.row.id ?? FIRST_ID;
  /** The rank of the next bill that is not famous: the first are mentioned most. */
  let rank = 0;
  const isTaken = (kind: BillKind, number: string) =>
    bills.some((bill) => bill.kind === kind && bill.row.billnumber === number);
  const newNumber = (kind: BillKind): string => {
    let number = "";
    do number = String(random.between(1, BILL_KINDS[kind].highest));
    while (isTaken(kind, number));
    return number;
  };
  /** A number that the other chamber has used already, for one bill in five. */
  const sharedNumber = (kind: BillKind): string | undefined => {
    if (!random.chance(0.2)) return undefined;
    const others = bills.filter((bill) => bill.kind !== kind && isAct(bill.kind)).map(({ row }) => row.billnumber);
    const free = others.filter((number) => Number(number) <= BILL_KINDS[kind].highest && !isTaken(kind, number));
    return free.length > 0 ? random.pick(free) : undefined;
  };
  /** People leave the year out, so it does not tell two titles apart. */
  const hasTitle = (title: string) => bills.some(({ spokenTitle }) => withoutYear(spokenTitle) === withoutYear(title));
  const newTitle = (compose: () => string): string => {
    let title = compose();
    for (let tries = 0; tries < 50 && hasTitle(title); tries++) title = compose();
    return title;
  };
  const add = (kind: BillKind, title: string, topic: Topic, number = newNumber(kind), famous = false): void => {
    id += random.between(1, 40);
    const hasLink = famous || random.chance(0.3);
    bills.push({
      row: {
        billnumber: number,
        billtitle: DAMAGED.has(congress) ? withLostLetters(title) : title,
        link: hasLink ? `https://archive.example/congress/bills/bill/?${congress}/${kind}${number}` : "",
        congress,
        id,
      },
      listed: title !== "",
      kind,
      number: typedNumber(kind, number),
      spokenTitle: title,
      chamber: BILL_KINDS[kind].chamber,
      numberForms: numberForms(kind, number),
      topic,
      introduced: first + random.between(0, Math.floor(days * (famous ? 0.15 : 0.6))) * DAY,
      weight: famous ? 200 : Math.max(3, Math.floor(120 / ++rank)),
      famous,
    });
  };

  for (const { title, number, kind, topic, congress: its } of FAMOUS_BILLS) {
    const subject = TOPICS.find(({ key }) => key === topic) as Topic;
    if (its === congress) add(kind as BillKind, title, subject, number, true);
  }
  for (let made = 0; made < ACTS; made++) {
    const topic = random.pick(SEASONAL_TOPICS);
    const low = LOW_NUMBERS[made];
    const kind = (low === undefined ? random.chance(0.55) : made % 2 === 0) ? "hr" : "s";
    // One bill in twelve is reintroduced under the title of an earlier Congress.
    const before = random.chance(1 / 12) && earlier.length > 0 ? random.pick(earlier) : undefined;
    const isNew = before && isAct(before.kind) && !before.famous && !hasTitle(before.spokenTitle);
    const again = isNew ? before : undefined;
    const title = again?.spokenTitle ?? newTitle(() => actTitle(random, topic, congress));
    add(kind, title, again?.topic ?? topic, low ?? sharedNumber(kind) ?? newNumber(kind));
  }
  const acts = bills.filter((bill) => !bill.famous);
  for (const { spokenTitle, kind, topic } of random.sample(acts, COMPANIONS)) {
    add(kind === "hr" ? "s" : "hr", spokenTitle, topic);
  }
  const withoutYears = acts.filter((bill) => !hasYear(bill.spokenTitle));
  for (const { spokenTitle, kind, topic } of random.sample(withoutYears, LONGER_TITLES)) {
    const title = newTitle(() => longerTitle(random, spokenTitle));
    add(kind, title, topic);
  }
  for (const kind of RESOLUTIONS) {
    const topic = random.pick(SEASONAL_TOPICS);
    const title = newTitle(() => resolutionTitle(random, topic, kind.includes("j")));
    add(kind, title, topic);
  }
  for (const kind of AMENDMENTS) {
    const number = newNumber(kind);
    add(kind, "", random.pick(SEASONAL_TOPICS), number);
  }
  return bills;
}

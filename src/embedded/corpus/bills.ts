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
import { BILL_KINDS, type BillKind, SEASONAL_TOPICS, TOPICS, type Topic } from "./vocabulary.js";

/** A row of GET /bills. */
export interface BillRow {
  /** Digits without a prefix, e.g. "5376". */
  billnumber: string;
  billtitle: string;
  link: string;
  congress: number;
  id: number;
}

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

/** The most mentioned bills, including those of the documentation's examples. */
const FAMOUS = [
  { title: "Inflation Reduction Act", number: "5376", congress: 117, kind: "hr", topic: "inflation" },
  {
    title: "Infrastructure Investment and Jobs Act",
    number: "3684",
    congress: 117,
    kind: "hr",
    topic: "infrastructure",
  },
  {
    title: "Artificial Intelligence Research and Accountability Act",
    number: "2714",
    congress: 118,
    kind: "s",
    topic: "artificial intelligence",
  },
] as const;

const ACTS = 46;
/** Bills of the other chamber with the title of a bill. */
const COMPANIONS = 5;
/** Bills whose title contains that of a bill. */
const LONGER_TITLES = 4;
const RESOLUTIONS: readonly BillKind[] = [
  "hres",
  "hres",
  "sres",
  "sres",
  "hjres",
  "sjres",
  "sjres",
  "hconres",
  "sconres",
];
const AMENDMENTS: readonly BillKind[] = ["samdt", "samdt", "hamdt"];
/** Both chambers have bills of these numbers, in every Congress. */
const LOW_NUMBERS = ["1", "2", "10"].flatMap((number) => [
  { kind: "hr", number } as const,
  { kind: "s", number } as const,
]);

/** Generates the bills of every Congress in the order of GET /bills: newest Congress first. */
export function makeBills(seed: number): readonly Bill[] {
  const random = new Random(seed, "bills");
  const bills: Bill[] = [];
  for (const congress of CONGRESSES) bills.push(...billsOf(random, congress, bills));
  return bills.sort((a, b) => b.row.congress - a.row.congress || a.row.id - b.row.id);
}

const FIRST_ID = 20_000;

function billsOf(random: Random, congress: number, earlier: readonly Bill[]): Bill[] {
  const bills: Bill[] = [];
  let id = earlier.at(-1)?.row.id ?? FIRST_ID;
  let rank = 0;
  const add = (draft: Omit<Draft, "id" | "congress" | "rank" | "famous">, famous = false): Bill => {
    id += random.between(1, 40);
    const bill = makeBill(random, { ...draft, id, congress, famous, rank: famous ? 0 : rank++ });
    bills.push(bill);
    return bill;
  };
  const newNumber = (kind: BillKind): string => {
    let number = "";
    do number = String(random.between(1, BILL_KINDS[kind].highest));
    while (isTaken(bills, kind, number));
    return number;
  };

  for (const { title, number, kind, topic, congress: its } of FAMOUS) {
    if (its !== congress) continue;
    add({ title, number, kind, topic: TOPICS.find(({ key }) => key === topic) ?? random.pick(TOPICS) }, true);
  }
  for (let made = 0; made < ACTS; made++) {
    const topic = random.pick(SEASONAL_TOPICS);
    const low = LOW_NUMBERS[made];
    const kind: BillKind = low?.kind ?? (random.chance(0.55) ? "hr" : "s");
    // One bill in twelve is reintroduced under the title of an earlier Congress.
    const before = random.chance(1 / 12) && earlier.length > 0 ? random.pick(earlier) : undefined;
    const reintroduced = before && isNewAct(before, bills) ? before : undefined;
    const title = reintroduced?.spokenTitle ?? newTitle(bills, () => actTitle(random, topic, congress));
    add({
      title,
      number: low?.number ?? sharedNumber(random, kind, bills) ?? newNumber(kind),
      kind,
      topic: reintroduced?.topic ?? topic,
    });
  }
  const acts = bills.filter((bill) => !bill.famous);
  for (const { spokenTitle: title, kind, topic } of random.sample(acts, COMPANIONS)) {
    const other = kind === "hr" ? "s" : "hr";
    add({ title, number: newNumber(other), kind: other, topic });
  }
  const withoutYears = acts.filter((bill) => !hasYear(bill.spokenTitle));
  for (const { spokenTitle, kind, topic } of random.sample(withoutYears, LONGER_TITLES)) {
    const title = newTitle(bills, () => longerTitle(random, spokenTitle));
    add({ title, number: newNumber(kind), kind, topic });
  }
  for (const kind of RESOLUTIONS) {
    const topic = random.pick(SEASONAL_TOPICS);
    const title = newTitle(bills, () => resolutionTitle(random, topic, kind.includes("j")));
    add({ title, number: newNumber(kind), kind, topic });
  }
  for (const kind of AMENDMENTS) {
    add({ title: "", number: newNumber(kind), kind, topic: random.pick(SEASONAL_TOPICS) });
  }
  return bills;
}

/** A number that the other chamber has used already, for one bill in five. */
function sharedNumber(random: Random, kind: BillKind, bills: readonly Bill[]): string | undefined {
  if (!random.chance(0.2)) return undefined;
  const numbers = bills.filter((bill) => bill.kind !== kind && isAct(bill.kind)).map(({ row }) => row.billnumber);
  const free = numbers.filter((number) => Number(number) <= BILL_KINDS[kind].highest && !isTaken(bills, kind, number));
  return free.length > 0 ? random.pick(free) : undefined;
}

function isTaken(bills: readonly Bill[], kind: BillKind, number: string): boolean {
  return bills.some((bill) => bill.kind === kind && bill.row.billnumber === number);
}

/** Whether a title may return in a Congress with these bills. */
function isNewAct(before: Bill, bills: readonly Bill[]): boolean {
  return isAct(before.kind) && !before.famous && !hasTitle(bills, before.spokenTitle);
}

function newTitle(bills: readonly Bill[], compose: () => string): string {
  let title = compose();
  for (let tries = 0; tries < 50 && hasTitle(bills, title); tries++) title = compose();
  return title;
}

/** People leave the year out, so it does not tell two titles apart. */
function hasTitle(bills: readonly Bill[], title: string): boolean {
  return bills.some(({ spokenTitle }) => withoutYear(spokenTitle) === withoutYear(title));
}

interface Draft {
  title: string;
  number: string;
  congress: number;
  kind: BillKind;
  topic: Topic;
  id: number;
  /** Its position among the bills of its Congress; the first are mentioned most. */
  rank: number;
  famous: boolean;
}

/** The Congresses whose titles have lost letters in the live archive. */
const DAMAGED: ReadonlySet<number> = new Set([115, 116, 117]);

function makeBill(random: Random, draft: Draft): Bill {
  const { congress, famous, kind, number, title } = draft;
  const { first, last } = sittingDays(congress);
  const days = Math.floor((last - first) / DAY);
  const hasLink = famous || random.chance(0.3);
  return {
    row: {
      billnumber: number,
      billtitle: DAMAGED.has(congress) ? withLostLetters(title) : title,
      link: hasLink ? `https://archive.example/congress/bills/bill/?${congress}/${kind}${number}` : "",
      congress,
      id: draft.id,
    },
    listed: title !== "",
    kind,
    number: typedNumber(kind, number),
    spokenTitle: title,
    chamber: BILL_KINDS[kind].chamber,
    numberForms: numberForms(kind, number),
    topic: draft.topic,
    introduced: first + random.between(0, Math.floor(days * (famous ? 0.15 : 0.6))) * DAY,
    weight: famous ? 200 : Math.max(3, Math.floor(120 / (draft.rank + 1))),
    famous,
  };
}

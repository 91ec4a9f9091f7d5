import { CONGRESSES, DAY, sittingDays } from "./calendar.js";
import { Random } from "./random.js";
import type { BillRow } from "./rows.js";
import { SEASONAL_TOPICS, TOPICS, type Topic } from "./topics.js";

/** A bill, with what its row does not say. */
export interface Bill {
  row: BillRow;
  /** The title as people speak it: without the typing faults of the row. */
  spokenTitle: string;
  /** The row has no prefix; the chamber decides how the number is spoken. */
  chamber: "House" | "Senate";
  /** How the number is spoken, the commonest form more than once. */
  numberForms: readonly string[];
  topic: Topic;
  /** Seconds since 1970; nobody speaks of it before. */
  introduced: number;
  /** How much it is talked about, a positive whole number. */
  weight: number;
  /** Talked about by hundreds of senators. */
  famous: boolean;
}

const BILLS_PER_CONGRESS = 60;
const SCOPES = ["", "", "", "American ", "National ", "Community ", "Tribal ", "Small Business ", "Northern "];
const ENDINGS = [
  "Act",
  "Improvement Act",
  "Reform Act",
  "Modernization Act",
  "Fairness Act",
  "Development Act",
  "Transparency Act",
  "and Accountability Act",
  "Protection Act",
  "Grants Act",
];

/** The bills that everybody speaks about; the documentation's examples are among them. */
const FAMOUS = [
  { title: "Inflation Reduction Act", number: "5376", congress: 117, chamber: "House", topic: "inflation" },
  {
    title: "Infrastructure Investment and Jobs Act",
    number: "3684",
    congress: 117,
    chamber: "House",
    topic: "infrastructure",
  },
  {
    title: "Artificial Intelligence Research and Accountability Act",
    number: "2714",
    congress: 118,
    chamber: "Senate",
    topic: "artificial intelligence",
  },
] as const;

/** Draws the bills of every Congress, newest Congress first: the order in which GET /bills lists them. */
export function makeBills(seed: number): readonly Bill[] {
  const random = new Random(seed, "bills");
  const bills: Bill[] = [];
  let id = 20_000;
  for (const congress of CONGRESSES) {
    const taken = new Set<string>(FAMOUS.map((famous) => famous.number));
    for (const famous of FAMOUS) {
      if (famous.congress !== congress) continue;
      id += random.between(1, 40);
      const topic = TOPICS.find((candidate) => candidate.key === famous.topic) ?? random.pick(TOPICS);
      bills.push(makeBill(random, { ...famous, id, topic, rank: -1 }));
    }
    for (let rank = 0; rank < BILLS_PER_CONGRESS; rank++) {
      id += random.between(1, 40);
      const topic = random.pick(SEASONAL_TOPICS);
      const chamber = random.chance(0.55) ? "House" : "Senate";
      // One bill in twelve was introduced before under the same title, as happens in every Congress.
      const earlier =
        random.chance(1 / 12) && bills.length > 20 ? random.pick(bills.filter((bill) => !bill.famous)) : null;
      const title = earlier?.spokenTitle ?? freshTitle(random, topic, bills);
      const number = freshNumber(random, chamber, taken);
      bills.push(makeBill(random, { title, number, congress, chamber, topic: earlier?.topic ?? topic, id, rank }));
    }
  }
  return bills.sort((a, b) => b.row.congress - a.row.congress || a.row.id - b.row.id);
}

interface Draft {
  title: string;
  number: string;
  congress: number;
  chamber: "House" | "Senate";
  topic: Topic;
  id: number;
  /** -1 for a famous bill, else its place among the bills of its Congress. */
  rank: number;
}

function makeBill(random: Random, draft: Draft): Bill {
  const { first, last } = sittingDays(draft.congress);
  const famous = draft.rank < 0;
  const prefix = draft.chamber === "House" ? "hr" : "s";
  const days = Math.floor((last - first) / DAY);
  return {
    row: {
      billnumber: draft.number,
      billtitle: famous || !random.chance(0.05) ? draft.title : misspelt(draft.title),
      link: `https://archive.example/congress/bills/bill/?${draft.congress}/${prefix}${draft.number}`,
      congress: draft.congress,
      id: draft.id,
    },
    spokenTitle: draft.title,
    chamber: draft.chamber,
    numberForms: numberForms(draft.chamber, draft.number),
    topic: draft.topic,
    introduced: first + random.between(0, Math.floor(days * (famous ? 0.15 : 0.6))) * DAY,
    weight: famous ? 200 : Math.max(3, Math.floor(120 / (draft.rank + 1))),
    famous,
  };
}

function freshTitle(random: Random, topic: Topic, bills: readonly Bill[]): string {
  const compose = () => `${random.pick(SCOPES)}${random.pick(topic.bills)} ${random.pick(ENDINGS)}`;
  let title = compose();
  for (let tries = 0; tries < 50 && bills.some((bill) => bill.spokenTitle === title); tries++) title = compose();
  return title;
}

function freshNumber(random: Random, chamber: "House" | "Senate", taken: Set<string>): string {
  let number = "";
  do number = String(random.between(1, chamber === "House" ? 9_800 : 5_200));
  while (taken.has(number));
  taken.add(number);
  return number;
}

/** The typing faults that the archive's own titles have: a letter fell out. */
function misspelt(title: string): string {
  return title.replace("Modernization", "Moderni ation").replace("Development", "De elopment");
}

/**
 * How people and captioners write the number of a bill; the commonest form stands more than once.
 *
 * @example
 * numberForms("House", "5376"); //=> ["H.R. 5376", …, "HR 5376", "H R 5376", "H.R.5376", "House Bill 5376"]
 */
export function numberForms(chamber: "House" | "Senate", number: string): readonly string[] {
  return chamber === "House"
    ? [
        `H.R. ${number}`,
        `H.R. ${number}`,
        `H.R. ${number}`,
        `HR ${number}`,
        `HR ${number}`,
        `H R ${number}`,
        `H R ${number}`,
        `H.R.${number}`,
        `House Bill ${number}`,
      ]
    : [`S. ${number}`, `S. ${number}`, `S. ${number}`, `S ${number}`, `S.${number}`, `Senate Bill ${number}`];
}

import { CONGRESSES, DAY, sittingDays } from "./calendar.js";
import { Random } from "./random.js";
import type { BillRow } from "./rows.js";
import { SEASONAL_TOPICS, TOPICS, type Topic } from "./topics.js";

/** A bill, with facts that its row does not contain. */
export interface Bill {
  row: BillRow;
  /** The title as speakers say it, without the typos of the row. */
  spokenTitle: string;
  /** Decides the prefix of the number, which the row lacks. */
  chamber: "House" | "Senate";
  /** Spellings of the number in speech; common ones appear several times. */
  numberForms: readonly string[];
  topic: Topic;
  /** Seconds since 1970. Nobody mentions the bill earlier. */
  introduced: number;
  /** How often it is mentioned, a positive integer. */
  weight: number;
  /** Mentioned by hundreds of senators. */
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

/** The most mentioned bills, including those of the documentation's examples. */
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

/** Generates the bills of every Congress in the order of GET /bills: newest Congress first. */
export function makeBills(seed: number): readonly Bill[] {
  const random = new Random(seed, "bills");
  const bills: Bill[] = [];
  let id = 20_000;
  for (const congress of CONGRESSES) {
    const usedNumbers = new Set<string>(FAMOUS.map((famous) => famous.number));
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
      // One bill in twelve is reintroduced under the title of an earlier one.
      const earlier =
        random.chance(1 / 12) && bills.length > 20 ? random.pick(bills.filter((bill) => !bill.famous)) : null;
      const title = earlier?.spokenTitle ?? uniqueTitle(random, topic, bills);
      const number = uniqueNumber(random, chamber, usedNumbers);
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
  /** -1 for a famous bill, otherwise its position among the bills of its Congress. */
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
      billtitle: famous || !random.chance(0.05) ? draft.title : withTypo(draft.title),
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

function uniqueTitle(random: Random, topic: Topic, bills: readonly Bill[]): string {
  const compose = () => `${random.pick(SCOPES)}${random.pick(topic.bills)} ${random.pick(ENDINGS)}`;
  let title = compose();
  for (let tries = 0; tries < 50 && bills.some((bill) => bill.spokenTitle === title); tries++) title = compose();
  return title;
}

function uniqueNumber(random: Random, chamber: "House" | "Senate", used: Set<string>): string {
  let number = "";
  do number = String(random.between(1, chamber === "House" ? 9_800 : 5_200));
  while (used.has(number));
  used.add(number);
  return number;
}

/** A typo as in the live archive's titles: a missing letter. */
function withTypo(title: string): string {
  return title.replace("Modernization", "Moderni ation").replace("Development", "De elopment");
}

/**
 * Spellings of a bill number in captions; common ones appear several times.
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

import vocabulary from "./vocabulary.json" with { type: "json" };

/** A subject of speeches and bills. */
export interface Topic {
  /** The search term for the topic. */
  key: string;
  /** Subject heading of programs. */
  subject: string;
  /** Further subject headings that `subject:` searches; rows do not show them. */
  otherSubjects?: readonly string[];
  /** The committee that holds hearings on it. */
  committee: string;
  /** Stems of bill titles. */
  bills: readonly string[];
  /** Sentences about it; {n} is a number, {state} a state. */
  sentences: readonly string[];
}

/** A kind of broadcast: decides its titles, its people, and the types of its clips. */
export interface ProgramKind {
  /** "senate" and "house" are sessions on the floor. */
  name: string;
  /** How often it occurs, a positive integer. */
  weight: number;
  category: string;
  format: string;
  series: string;
  sponsor: string;
  location: string;
  tag: string;
  /** Number of speakers by role. */
  senators: number;
  representatives: number;
  witnesses: number;
  hosts: number;
  /** Shortest and longest duration, in seconds. */
  duration: readonly [number, number];
  /** Clip types with weights. */
  videoTypes: readonly (readonly [VideoType, number])[];
  /** Title templates: {topic} is a subject, {place} a committee or state, {part} a number. */
  titles: readonly string[];
}

/** A kind of measure, as Congress abbreviates it: H.R., S., H.Res., …, and amendments of both chambers. */
export type BillKind = "hr" | "s" | "hres" | "sres" | "hjres" | "sjres" | "hconres" | "sconres" | "hamdt" | "samdt";

interface BillKindFacts {
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

/** All topics. The first five are more frequent, see {@link SEASONAL_TOPICS}. */
export const TOPICS: readonly Topic[] = vocabulary.topics;

/** The pool that bills and programs draw from: all topics, the first five three times. */
export const SEASONAL_TOPICS: readonly Topic[] = [...TOPICS, ...TOPICS.slice(0, 5), ...TOPICS.slice(0, 5)];

/** All kinds of programs. */
export const PROGRAM_KINDS = vocabulary.programKinds as unknown as readonly ProgramKind[];

/** All kinds of measures. Each numbers its measures from 1 in every Congress. */
export const BILL_KINDS = vocabulary.billKinds as Readonly<Record<BillKind, BillKindFacts>>;

/** Parts of the titles of bills: "Tribal ", "Reform Act"; `longer` stands before the whole title of another bill. */
export const BILL_TITLES = vocabulary.billTitles;

/** First names, some with accents. */
export const FIRST_NAMES: readonly string[] = vocabulary.firstNames.split(" ");

/** Invented or rare last names, so that nobody in the corpus is a real person. */
export const LAST_NAMES: readonly string[] = vocabulary.lastNames.split(" ");

/** The fifty states; each has two senators. */
export const STATES: readonly string[] = vocabulary.states.split(",");

/** Titles of people by role. Those of clerks name a chamber, but clerks are no members; some of witnesses have typos. */
export const TITLES = vocabulary.titles;

/** Sentences that are not about a topic. {state} and {n} are drawn; {bill} is a title, a number, or both. */
export const SENTENCES = vocabulary.sentences;

/** What people say before the title of a bill: "the so-called ". */
export const BEFORE_TITLES: readonly string[] = vocabulary.beforeTitles;

/** Sentences that only seem to be about a bill. */
export const DECOY_SENTENCES = vocabulary.decoys;

/** Video types: requests use the name, rows the number. */
export const VIDEO_TYPES = {
  Speech: 16,
  Debate: 18,
  Hearing: 9,
  Interview: 11,
  "Call-In": 4,
  "News Conference": 13,
  Forum: 7,
  Remarks: 15,
  Ceremony: 5,
} as const;

/** The name of a video type. */
export type VideoType = keyof typeof VIDEO_TYPES;

import type { VIDEO_TYPES } from "./videoTypes.js";
import vocabulary from "./vocabulary.json" with { type: "json" };

/** The name of a video type: requests use the name, rows the number. */
export type VideoType = keyof typeof VIDEO_TYPES;

/** A subject of speeches and bills. `otherSubjects` are headings that `subject:` searches and rows do not show. */
export type Topic = Omit<(typeof vocabulary.topics)[number], "otherSubjects"> & { otherSubjects?: readonly string[] };

/** A kind of broadcast; "senate" and "house" are sessions on the floor. Titles are templates. Weights are positive integers. */
export type ProgramKind = Omit<(typeof vocabulary.programKinds)[number], "duration" | "videoTypes"> & {
  /** Shortest and longest duration, in seconds. */
  readonly duration: readonly [number, number];
  /** Types of its clips, with weights. */
  readonly videoTypes: readonly (readonly [VideoType, number])[];
};

/** A kind of measure, as Congress abbreviates it: H.R., S., H.Res., …, and amendments of both chambers. */
export type BillKind = keyof typeof vocabulary.billKinds;

interface BillKindFacts {
  readonly chamber: "House" | "Senate";
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

/**
 * All words of the corpus. In sentences, {state} and {n} are drawn; {bill} is a title, a number, or both. Names are invented or
 * rare, so that they belong to no real person. The titles of clerks name a chamber, but clerks are not members.
 */
export const {
  beforeTitles: BEFORE_TITLES,
  billTitles: BILL_TITLES,
  decoys: DECOY_SENTENCES,
  famousBills: FAMOUS_BILLS,
  hostile: HOSTILE,
  resolutionTitles: RESOLUTION_TITLES,
  sentences: SENTENCES,
  titles: TITLES,
} = vocabulary;

/** All topics. The first five are more frequent, see {@link SEASONAL_TOPICS}. */
export const TOPICS: readonly Topic[] = vocabulary.topics;

/** The pool that bills and programs draw from: all topics, the first five three times. */
export const SEASONAL_TOPICS: readonly Topic[] = [...TOPICS, ...TOPICS.slice(0, 5), ...TOPICS.slice(0, 5)];

export const PROGRAM_KINDS = vocabulary.programKinds as unknown as readonly ProgramKind[];

/** All kinds of measures. Each numbers its measures from 1 in every Congress. */
export const BILL_KINDS = vocabulary.billKinds as Readonly<Record<BillKind, BillKindFacts>>;

export const FIRST_NAMES = vocabulary.firstNames.split(" ");
export const LAST_NAMES = vocabulary.lastNames.split(" ");
/** The fifty states; each has two senators. */
export const STATES = vocabulary.states.split(",");
/** In the order of {@link STATES}. */
export const STATE_CODES = vocabulary.stateCodes.split(" ");

import { STATES } from "./names.js";
import type { Random } from "./random.js";

/** First sentences of a turn. */
export const OPENERS: readonly string[] = [
  "mr. president, I rise today on a matter that {state} has raised with me {n} times.",
  "madam speaker, I yield myself such time as I may consume.",
  "thank you, mr. chairman, and thank you to the witnesses for being here.",
  "good morning, and thank you for taking my call from {state}.",
  "I ask unanimous consent that the letter from {n} mayors be put in the record.",
  "let me begin with a story from {state}.",
  "I thank my friend and colleague for yielding, and I will be brief.",
  "reserving the right to object, and I do not intend to object.",
  "the question I want to put to you is a simple one.",
  "my colleagues, we have been here before.",
];

/** Sentences that fit anywhere. */
export const FILLERS: readonly string[] = [
  "the american people are ahead of us on this.",
  "I have {n} letters on my desk and every one of them says the same thing.",
  "let me be very clear about that.",
  "I would remind my colleagues that the clock is running.",
  "that is not my number, it is the number of the agency itself.",
  "my grandmother, señora of a café in {state}, used to say that the bill always comes.",
  "ask anyone at the counter of a diner in {state}.",
  "we can do better, and we have done better.",
  "some in this room will call that naïve.",
  "this is what compromise looks like, and I will take it.",
  "I have heard \u201cnext year\u201d for {n} years now.",
  "there is a word for that, and the rules of this body do not let me use it.",
  "we held {n} hearings, and nobody changed a comma.",
  "the gentleman from {state} knows this as well as I do.",
];

/** Last sentences of a turn. */
export const CLOSERS: readonly string[] = [
  "I yield the floor.",
  "I yield back the balance of my time.",
  "I urge a yes vote.",
  "I urge my colleagues to vote no.",
  "thank you, and I will take my answer off the air.",
  "I suggest the absence of a quorum.",
  "the time of the gentlewoman has expired.",
  "we will be right back after this.",
];

/** Sentences about a bill; {bill} is its title, its number, or both. */
export const BILL_SENTENCES: readonly string[] = [
  "I rise in support of {bill}.",
  "I rise in strong opposition to {bill}, and I will tell you why.",
  "{bill} is not perfect, and neither was any law that lasted.",
  "when we passed {bill}, the other side predicted disaster.",
  "has anyone in this chamber read {bill} to the end?",
  "there are {n} pages in {bill}, and {state} is mentioned on one of them.",
  "what does {bill} do for a family in {state}?",
  "the amendment to {bill} that I offer today costs nothing.",
  "we are told that {bill} pays for itself.",
  "I am a cosponsor of {bill}, together with {n} members of both parties.",
];

/** Sentences about a second bill. */
export const SECOND_BILL_SENTENCES: readonly string[] = [
  "and after that we take up {bill}.",
  "I say the same of {bill}.",
  "it goes further than {bill}.",
];

/** What clerks and presiding officers say about a bill. */
export const CLERK_SENTENCES: readonly string[] = [
  "the clerk will report {bill} by title.",
  "the question is on the passage of {bill}, and the yeas and nays are ordered.",
  "under the previous order, the chamber will resume consideration of {bill}.",
];

/**
 * Appends the pieces of a sentence, with {state} and {n} replaced by random values and {bill} by the bill's name.
 *
 * @returns their total length in characters
 */
export function fillSentence(
  random: Random,
  sentence: string,
  pieces: string[],
  bill: readonly string[] = NO_BILL,
): number {
  const before = pieces.length;
  for (const part of partsOf(sentence)) {
    if (part === "{bill}") pieces.push(...bill);
    else if (part === "{state}") pieces.push(random.pick(STATES));
    else pieces.push(part === "{n}" ? String(random.between(2, 480)) : part);
  }
  let length = 0;
  for (let at = before; at < pieces.length; at++) length += pieces[at]?.length ?? 0;
  return length;
}

const NO_BILL: readonly string[] = [];
const knownParts = new Map<string, readonly string[]>();

/** Sentences are used thousands of times, so each is split only once. */
function partsOf(sentence: string): readonly string[] {
  const known = knownParts.get(sentence);
  if (known) return known;
  const parts = sentence.split(/(\{\w+\})/).filter((part) => part !== "");
  knownParts.set(sentence, parts);
  return parts;
}

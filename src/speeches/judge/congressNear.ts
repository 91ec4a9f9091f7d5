import type { Word } from "../../util/captionText.js";
import type { MentionIndex } from "./numberMentions.js";
import type { TitleMention } from "./titlePattern.js";

const ORDINALS: ReadonlyMap<string, number> = new Map(
  "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    .split(" ")
    .map((word, number) => [word, number]),
);
const EARLIER = new Set(["last", "previous", "prior", "preceding", "earlier", "past"]);
const MAX_DISTANCE = 9;

/**
 * The Congress that a text names beside a bill, in the same sentence: "H.R. 1 of the 116th Congress".
 *
 * @returns its number, "earlier" for "the last Congress", or undefined for none and for "this Congress"
 */
export function congressNear(
  words: readonly Word[],
  { first, last }: TitleMention,
  mentions: MentionIndex,
): number | "earlier" | undefined {
  for (let at = last + 1; at < words.length && at - last <= MAX_DISTANCE; at++) {
    if (words[at]?.gap === "stop" || mentions.startingAt(at) !== undefined) break;
    const congress = congressAt(words, at);
    if (congress !== undefined) return congress;
  }
  for (let at = first - 1; at >= 0 && first - at <= MAX_DISTANCE; at--) {
    if (words[at + 1]?.gap === "stop" || mentions.endingAt(at) !== undefined) break;
    const congress = congressAt(words, at);
    if (congress !== undefined) return congress;
  }
  return undefined;
}

function congressAt(words: readonly Word[], at: number): number | "earlier" | undefined {
  if (words[at]?.text !== "congress" || at === 0) return undefined;
  const before = words[at - 1] as Word;
  if (EARLIER.has(before.text)) return "earlier";
  if (before.isNumber) return Number(before.text);
  const digits = words[at - 2];
  if (/^(?:st|nd|rd|th)$/.test(before.text) && digits?.isNumber) return Number(digits.text);
  const ordinal = ORDINALS.get(before.text);
  if (ordinal === undefined) return undefined;
  const isHundreds = words.slice(Math.max(0, at - 3), at - 1).some(({ text }) => text === "hundred");
  return isHundreds ? 100 + ordinal : ordinal;
}

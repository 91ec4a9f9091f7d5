import { ALL_KINDS, type BillKind, kindsOfPrefix, PREFIXES } from "./billKinds.js";
import { after, before, type CaptionLine, onLine, readLine, type Span, wordsIn } from "./captionLine.js";
import { SPOKEN, spokenNumber, withoutZeros } from "./spokenNumbers.js";

/** Why a number with the prefix of a bill is not the number of a bill of Congress. */
export type NumberFlaw = "U.S. 1" | "amount" | "state bill" | "page of the Record" | "no prefix";

/** The number of a bill in a text. */
export interface NumberMention extends Span {
  /** More than one if the prefix does not name the chamber. */
  readonly kinds: readonly BillKind[];
  readonly number: string;
  readonly flaw: NumberFlaw | undefined;
}

/** Numbers by their first and last word, so that a text with many of them takes linear time. */
export interface MentionIndex {
  readonly startingAt: ReadonlyMap<number, NumberMention>;
  readonly endingAt: ReadonlyMap<number, NumberMention>;
}

export interface SpeechText extends CaptionLine, MentionIndex {
  readonly mentions: readonly NumberMention[];
}

/**
 * Reads a text with the numbers of bills in it: a prefix such as "H.R.", "S J Res" or "House Bill", and digits or number words.
 *
 * @example
 * readText("SENATE BILL TWELVE AND H. R. 5,376").mentions;
 * //=> [{ kinds: ["s"], number: "12", … }, { kinds: ["hr"], number: "5376", … }]
 */
export function readText(text: string): SpeechText {
  const caption = readLine(text);
  const mentions = numberMentions(caption);
  return { ...caption, mentions, ...indexOf(mentions) };
}

export function indexOf(mentions: readonly NumberMention[]): MentionIndex {
  return {
    startingAt: new Map(mentions.map((mention) => [mention.first, mention])),
    endingAt: new Map(mentions.map((mention) => [mention.last, mention])),
  };
}

const PREFIX = `(?:${PREFIXES.join("|").replaceAll(" ", "~")})&`;
/** After a whole word such as "bill", a sentence has ended before the number. */
const TO_NUMBER = String.raw`(?:~|(?<!_{fullWords})\.)`;
/** "53-76" was read out in pairs; "117th" and "5.5" are no numbers of bills. */
const DIGITS = String.raw`\p{Nd}{1,2}-\p{Nd}{2}&|#(?!·)`;
const MENTION = onLine(
  `(?<=_)(?:(?<prefix>${PREFIX})(?:${TO_NUMBER}{fillers}){0,2}${TO_NUMBER}(?!{numbers}_{afterOne})(?:(?<digits>${DIGITS})|(?<said>${SPOKEN}))|` +
    String.raw`(?<!\p{Nd}_)(?<bare>${SPOKEN}))`,
  "g",
);
const RECORD = onLine("_pages?_s$");
const COUNTRY = onLine("_u_s$");
const STATE = onLine("_{states}[- ](?:house|senate|house~of~representatives)~bill$");
const AMOUNT = onLine("~{units}", "y");
const COUNT = onLine(String.raw`~(?:{units}|\p{Nd})`, "y");

function numberMentions(caption: CaptionLine): NumberMention[] {
  const mentions: NumberMention[] = [];
  const { line, starts } = caption;
  let first = 0;
  MENTION.lastIndex = 0;
  for (let match = MENTION.exec(line); match !== null; match = MENTION.exec(line)) {
    while ((starts[first] as number) < match.index) first++;
    const span = { first, last: first + wordsIn(match[0]).length - 1 };
    const { prefix = "", digits, said, bare = "" } = match.groups as Partial<Record<string, string>>;
    const isBare = prefix === "";
    if (!isBare || isBill(caption, bare, span)) {
      const number = digits === undefined ? spokenNumber(said ?? bare).number : withoutZeros(digits.replace("-", ""));
      const kinds = isBare ? ALL_KINDS : (kindsOfPrefix(prefix) ?? []);
      mentions.push({ kinds, number, ...span, flaw: isBare ? "no prefix" : flawOf(caption, prefix, span) });
    } else MENTION.lastIndex = match.index + Math.max(1, prefix.length);
  }
  return mentions;
}

/** Whether a number that is read out without a prefix is one of a bill, as no other but years is: "when we passed fifty-three seventy-six". */
function isBill(caption: CaptionLine, spoken: string, { last }: Span): boolean {
  const { number, isScaled } = spokenNumber(spoken);
  return !isScaled && /^(?!1[789]|20)[1-9]\d{3}$/.test(number) && after(caption, last, COUNT) === null;
}

function flawOf(caption: CaptionLine, prefix: string, { first, last }: Span): NumberFlaw | undefined {
  const lead = before(caption, first) + prefix;
  if (RECORD.test(lead)) return "page of the Record";
  if (COUNTRY.test(lead)) return "U.S. 1";
  if (after(caption, last, AMOUNT) !== null) return "amount";
  return STATE.test(lead) ? "state bill" : undefined;
}

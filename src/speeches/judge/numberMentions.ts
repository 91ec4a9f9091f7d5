import { ALL_KINDS, type BillKind, kindsOfPrefix, PREFIXES } from "./billKinds.js";
import { after, before, type CaptionLine, onLine, readLine, type Span, wordsIn } from "./captionLine.js";
import words from "./words.json" with { type: "json" };

/** Why a number may not be that of a bill of Congress. */
type NumberFlaw = "U.S. 1" | "amount" | "state bill" | "page of the Record" | "no prefix";

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
/** After a full word such as "bill", a full stop ends the sentence. */
const TO_NUMBER = String.raw`(?:~|(?<!_{fullWords})\.)`;
/** "53-76" was read out in pairs; "117th" and "5.5" are not numbers of bills. */
const DIGITS = String.raw`\p{Nd}{1,2}-\p{Nd}{2}&|#(?!·)`;
/** A number that is read out, as an expression for lines. */
export const SPOKEN = "{numbers}(?:~(?:{numbers}|{scales}(?:~and(?=_{numbers}))?)){0,11}";
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

/** Whether a spoken number without a prefix is that of a bill: only bills and years are read in pairs ("fifty-three seventy-six"). */
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

const ONES = words.ones.split(" ");
const TENS = words.tens.split(" ");
const VALUES: ReadonlyMap<string, number> = new Map([
  ...ONES.map((word, value) => [word, value] as const),
  ...TENS.map((word, at) => [word, at * 10] as const),
  ...words.zeros.split(" ").map((word) => [word, 0] as const),
]);
const SCALES: ReadonlyMap<string, number> = new Map(
  words.scales.split(" ").map((word, at) => [word, 100 * 10 ** at] as const),
);

/**
 * Converts number words to digits: "fifty-three seventy-six" and "five three seven six" are both 5376.
 *
 * @param spoken what {@link SPOKEN} matches
 */
export function spokenNumber(spoken: string): { readonly number: string; readonly isScaled: boolean } {
  const numberWords = wordsIn(spoken);
  const isScaled = numberWords.some((word) => SCALES.has(word));
  const number = isScaled ? scaled(numberWords) : pairs(numberWords.map((word) => VALUES.get(word) as number));
  return { number: withoutZeros(number), isScaled };
}

function withoutZeros(number: string): string {
  return number.replace(/^0+(?=\d)/, "");
}

function scaled(numberWords: readonly string[]): string {
  let [total, current] = [0, 0];
  for (const word of numberWords) {
    const scale = SCALES.get(word);
    if (scale === 1000) [total, current] = [total + current * 1000, 0];
    else if (scale !== undefined) current *= scale;
    else current += VALUES.get(word) ?? 0;
  }
  return String(total + current);
}

/** The digits of groups such as "fifty-three", "seventeen" and "six", one after another. */
function pairs(values: readonly number[]): string {
  const isUnit = (at: number) =>
    (values[at - 1] ?? 0) >= 20 && (values[at] as number) >= 1 && (values[at] as number) <= 9;
  return values
    .map((value, at) => (isUnit(at) ? "" : isUnit(at + 1) ? value + (values[at + 1] as number) : value))
    .join("");
}

/**
 * The ways in which a number from 1 to 9999 is read out, the most common first.
 *
 * @example
 * spokenNumbers("5376"); //=> ["fifty-three seventy-six", "five three seven six", "five thousand three hundred seventy-six"]
 * spokenNumbers("842");  //=> ["eight forty-two", "eight four two", "eight hundred forty-two"]
 * spokenNumbers("12");   //=> ["twelve"]
 */
export function spokenNumbers(number: string): string[] {
  const value = Number(number);
  if (!Number.isSafeInteger(value) || value < 1 || value > 9999) return [];
  if (value < 100) return [twoDigits(value)];
  const [high, low] = [Math.floor(value / 100), value % 100];
  const inPairs =
    low === 0 ? `${twoDigits(high)} hundred` : `${twoDigits(high)} ${low < 10 ? `oh ${ONES[low]}` : twoDigits(low)}`;
  const digits = [...number].map((digit) => ONES[Number(digit)]).join(" ");
  // "seventy twenty-four", but "seven thousand" and, because it is not a year, "two thousand nineteen".
  const isReadInFull = high === 20 || (low === 0 && high % 10 === 0);
  return [...new Set([isReadInFull ? inFull(value) : inPairs, digits, inFull(value)])];
}

function inFull(value: number): string {
  const [thousand, hundred, remainder] = [Math.floor(value / 1000), Math.floor((value % 1000) / 100), value % 100];
  const parts = [
    thousand === 0 ? "" : `${ONES[thousand]} thousand`,
    hundred === 0 ? "" : `${ONES[hundred]} hundred`,
    remainder === 0 ? "" : twoDigits(remainder),
  ];
  return parts.filter(Boolean).join(" ");
}

function twoDigits(value: number): string {
  if (value < 20) return ONES[value] as string;
  const ones = value % 10;
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? "" : `-${ONES[ones]}`}`;
}

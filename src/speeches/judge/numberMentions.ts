import { type CaptionText, readCaption, type Word } from "../../util/captionText.js";
import { groupBy } from "../../util/groupBy.js";
import { ALL_KINDS, BILL_KINDS, type BillKind, SHARED_PREFIXES } from "./billKinds.js";
import words from "./words.json" with { type: "json" };

const ONES = words.ones.split(" ");
const TENS = words.tens.split(" ");

/** The words with which a number that is read out begins. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...ONES.map((word, value) => [word, value] as const),
  ...TENS.map((word, at) => [word, at * 10] as const),
  ["oh", 0],
  ["o", 0],
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1000],
]);
export function setOf(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

const MAX_WORDS = 12;

/** Whether a word begins a clause or sentence. */
export function isBreak(word: Word | undefined): boolean {
  return word?.gap === "stop" || word?.gap === "pause";
}

export interface SpokenNumber {
  readonly number: string;
  /** It has the word hundred or thousand. */
  readonly isScaled: boolean;
  readonly end: number;
}

/**
 * Reads a number in words that begins at a position. Digits and pairs count as they are said: "fifty-three seventy-six" and
 * "five three seven six" are both 5376.
 *
 * @returns undefined if no number begins there
 */
export function readSpokenNumber(words: readonly Word[], start: number): SpokenNumber | undefined {
  let end = start;
  let isScaled = false;
  const run: string[] = [];
  while (end < words.length && end - start < MAX_WORDS) {
    const { text } = words[end] as Word;
    if (end > start && isBreak(words[end])) break;
    const isAnd = text === "and" && SCALES.has(run.at(-1) ?? "") && NUMBER_WORDS.has(words[end + 1]?.text ?? "");
    if (SCALES.has(text) && run.length > 0) isScaled = true;
    else if (!NUMBER_WORDS.has(text) && !isAnd) break;
    run.push(text);
    end++;
  }
  if (run.length === 0) return undefined;
  const number = isScaled ? scaled(run) : pairs(run);
  return { number: number.replace(/^0+(?=\d)/, ""), isScaled, end };
}

function scaled(run: readonly string[]): string {
  let total = 0;
  let current = 0;
  for (const word of run) {
    const scale = SCALES.get(word);
    if (scale === 1000) [total, current] = [total + current * 1000, 0];
    else if (scale !== undefined) current *= scale;
    else current += NUMBER_WORDS.get(word) ?? 0;
  }
  return String(total + current);
}

/** The digits of groups such as "fifty-three", "seventeen" and "six", one after another. */
function pairs(run: readonly string[]): string {
  let digits = "";
  for (let at = 0; at < run.length; at++) {
    const value = NUMBER_WORDS.get(run[at] as string) ?? 0;
    const next = NUMBER_WORDS.get(run[at + 1] ?? "") ?? 0;
    const isTens = value >= 20 && next >= 1 && next <= 9;
    digits += isTens ? value + next : value;
    if (isTens) at++;
  }
  return digits;
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
  const first =
    low === 0 ? `${twoDigits(high)} hundred` : `${twoDigits(high)} ${low < 10 ? `oh ${ONES[low]}` : twoDigits(low)}`;
  const digits = [...number].map((digit) => ONES[Number(digit)]).join(" ");
  // "seventy twenty-four", but "seven thousand", and "two thousand nineteen" of anything but a year.
  const isWhole = high === 20 || (low === 0 && high % 10 === 0);
  return [...new Set([isWhole ? inFull(value) : first, digits, inFull(value)])];
}

function inFull(value: number): string {
  const [thousand, hundred, rest] = [Math.floor(value / 1000), Math.floor((value % 1000) / 100), value % 100];
  const parts = [
    thousand === 0 ? "" : `${ONES[thousand]} thousand`,
    hundred === 0 ? "" : `${ONES[hundred]} hundred`,
    rest === 0 ? "" : twoDigits(rest),
  ];
  return parts.filter(Boolean).join(" ");
}

function twoDigits(value: number): string {
  if (value < 20) return ONES[value] as string;
  const rest = value % 10;
  return `${TENS[Math.floor(value / 10)]}${rest === 0 ? "" : `-${ONES[rest]}`}`;
}

/** Why a number with the prefix of a bill is not the number of a bill of Congress. */
export type NumberFlaw = "U.S. 1" | "amount" | "state bill" | "page of the Record" | "no prefix";

/** The number of a bill in a text, with the positions of its first and last word. */
export interface NumberMention {
  /** More than one if the prefix does not name the chamber. */
  readonly kinds: readonly BillKind[];
  readonly number: string;
  readonly first: number;
  readonly last: number;
  readonly flaw: NumberFlaw | undefined;
}

/** Numbers by their first and last word, so that a text with many of them takes linear time. */
export interface MentionIndex {
  readonly startingAt: ReadonlyMap<number, NumberMention>;
  readonly endingAt: ReadonlyMap<number, NumberMention>;
}

export interface SpeechText extends CaptionText, MentionIndex {
  readonly mentions: readonly NumberMention[];
}

export function readText(text: string): SpeechText {
  const caption = readCaption(text);
  const mentions = numberMentions(caption);
  return { ...caption, mentions, ...indexOf(mentions) };
}

export function indexOf(mentions: readonly NumberMention[]): MentionIndex {
  return {
    startingAt: new Map(mentions.map((mention) => [mention.first, mention])),
    endingAt: new Map(mentions.map((mention) => [mention.last, mention])),
  };
}

interface Prefix {
  readonly words: readonly string[];
  readonly kinds: readonly BillKind[];
}

/** Prefixes by their last word, longest first. */
const PREFIXES = groupPrefixes();
const FILLERS = new Set(["number", "numbered", "no", "num", "bill"]);
/** After these words, a sentence has ended before the number. */
const FULL_WORDS = new Set(["bill", "resolution", "amendment", "number", "numbered"]);
const UNITS = setOf(words.units);
/** After "one" they make it a pronoun. */
const AFTER_ONE = setOf(words.afterOne);
const STATES = setOf(words.states);

/**
 * Finds the numbers of bills in a text: a prefix such as "H.R.", "S J Res" or "House Bill", and digits or number words.
 *
 * @example
 * numberMentions(readCaption("SENATE BILL TWELVE AND H. R. 5,376"));
 * //=> [{ kinds: ["s"], number: "12", … }, { kinds: ["hr"], number: "5376", … }]
 */
export function numberMentions({ text, words }: CaptionText): NumberMention[] {
  const mentions: NumberMention[] = [];
  for (let at = 0; at < words.length; at++) {
    const { text: word } = words[at] as Word;
    if (!PREFIXES.has(word) && !NUMBER_WORDS.has(word)) continue;
    const prefix = prefixAt(words, at);
    if (prefix === undefined) {
      const bare = bareNumberAt(words, at);
      if (bare !== undefined) mentions.push(bare);
      at = bare?.last ?? at;
      continue;
    }
    const first = at - prefix.words.length + 1;
    const start = numberStart(words, at);
    const number = start === undefined ? undefined : numberAt(text, words, start);
    if (start === undefined || number === undefined || isPartOfWord(text, words, first)) continue;
    const { kinds } = prefix;
    mentions.push({ kinds, ...number, first, flaw: flawOf(text, words, first, at, number) });
    at = Math.max(at, number.last);
  }
  return mentions;
}

/**
 * A number that is read out without a prefix, as only numbers of bills and years are: "when we passed fifty-three seventy-six".
 */
function bareNumberAt(words: readonly Word[], at: number): NumberMention | undefined {
  const spoken = readSpokenNumber(words, at);
  if (spoken === undefined || spoken.isScaled || !/^[1-9]\d{3}$/.test(spoken.number)) return undefined;
  const after = words[spoken.end];
  const isCount = after !== undefined && !isBreak(after) && (UNITS.has(after.text) || after.isNumber);
  if (isCount || /^(?:1[789]|20)/.test(spoken.number) || words[at - 1]?.isNumber) return undefined;
  const place = { first: at, last: spoken.end - 1 };
  return { kinds: ALL_KINDS, number: spoken.number, ...place, flaw: "no prefix" };
}

interface ReadNumber {
  readonly number: string;
  readonly last: number;
}

function prefixAt(words: readonly Word[], at: number): Prefix | undefined {
  return PREFIXES.get((words[at] as Word).text)?.find((prefix) => {
    const first = at - prefix.words.length + 1;
    return prefix.words.every(
      (word, index) => words[first + index]?.text === word && (index === 0 || !isBreak(words[first + index] as Word)),
    );
  });
}

/** Where the number after a prefix begins; undefined if there is none. */
function numberStart(words: readonly Word[], prefixEnd: number): number | undefined {
  let next = prefixEnd + 1;
  for (; next < words.length && next - prefixEnd <= 3; next++) {
    const { gap, text } = words[next] as Word;
    if (gap === "pause" || (gap === "stop" && FULL_WORDS.has((words[next - 1] as Word).text))) return undefined;
    if (!FILLERS.has(text)) return next;
  }
  return undefined;
}

function numberAt(text: string, words: readonly Word[], start: number): ReadNumber | undefined {
  const word = words[start] as Word;
  if (!word.isNumber) {
    const spoken = readSpokenNumber(words, start);
    const isPronoun = spoken?.end === start + 1 && AFTER_ONE.has(words[spoken.end]?.text ?? "");
    return spoken === undefined || isPronoun ? undefined : { number: spoken.number, last: spoken.end - 1 };
  }
  const next = words[start + 1];
  // "117th" and "5.5" are no numbers of bills; "53-76" is a number that was read out in pairs.
  if (next?.gap === "none") return undefined;
  const between = next?.isNumber ? text.slice(word.end, next.start) : "";
  if (between === ".") return undefined;
  const isPair = between === "-" && word.text.length <= 2 && next?.text.length === 2;
  const digits = isPair ? word.text + next.text : word.text;
  return { number: digits.replace(/^0+(?=\d)/, ""), last: isPair ? start + 1 : start };
}

/** Whether the prefix is the end of something else: the s of "let's 5", the hr of "24 HR 7", initials. */
function isPartOfWord(text: string, words: readonly Word[], first: number): boolean {
  const { start, gap, text: prefix } = words[first] as Word;
  const before = words[first - 1];
  if (/['’]/.test(text.charAt(start - 1))) return true;
  if (before === undefined || prefix.length > 2) return false;
  if (before.isNumber) return gap === "none" || (prefix !== "h" && gap === "space" && before.text.length < 3);
  return prefix === "s" && before.text.length === 1 && before.text !== "u" && before.text !== "a" && gap === "space";
}

function flawOf(
  text: string,
  words: readonly Word[],
  first: number,
  prefixEnd: number,
  { last }: ReadNumber,
): NumberFlaw | undefined {
  const before = words[first - 1];
  const isLetter = prefixEnd === first && words[first]?.text === "s";
  if (isLetter && (before?.text === "page" || before?.text === "pages")) return "page of the Record";
  if (isLetter && before?.text === "u" && !/\s{2}/.test(text.slice(before.end, words[first]?.start))) return "U.S. 1";
  const after = words[last + 1];
  if (after !== undefined && !isBreak(after) && UNITS.has(after.text)) return "amount";
  const isBill = words[prefixEnd]?.text === "bill";
  if (isBill && before !== undefined && words[first]?.gap === "space" && STATES.has(before.text)) return "state bill";
  return undefined;
}

function groupPrefixes(): ReadonlyMap<string, readonly Prefix[]> {
  const own = ALL_KINDS.flatMap((kind) => BILL_KINDS[kind].prefixes.map((prefix) => [prefix, [kind]] as const));
  const prefixes = [...own, ...SHARED_PREFIXES].map(([prefix, kinds]): Prefix => ({ words: prefix.split(" "), kinds }));
  prefixes.sort((a, b) => b.words.length - a.words.length);
  return groupBy(prefixes, ({ words }) => words.at(-1) as string);
}

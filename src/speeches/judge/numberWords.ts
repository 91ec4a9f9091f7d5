import type { Word } from "../../util/captionText.js";
import words from "./words.json" with { type: "json" };

const ONES = words.ones.split(" ");
const TENS = words.tens.split(" ");

/** The words with which a number that is read out begins. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
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

/** More words than any number of a bill has. */
const MAX_WORDS = 12;

/** Whether a word begins a clause or sentence. */
export function isBreak(word: Word | undefined): boolean {
  return word?.gap === "stop" || word?.gap === "pause";
}

/** A number that was read out, and the position after it. */
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

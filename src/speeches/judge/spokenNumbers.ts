import { wordsIn } from "./captionLine.js";
import words from "./words.json" with { type: "json" };

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

/** A number that is read out, as an expression for lines. */
export const SPOKEN = "{numbers}(?:~(?:{numbers}|{scales}(?:~and(?=_{numbers}))?)){0,11}";

/**
 * The number that words say. Digits and pairs count as they are said: "fifty-three seventy-six" and "five three seven six" are both 5376.
 *
 * @param spoken what {@link SPOKEN} matches
 */
export function spokenNumber(spoken: string): { readonly number: string; readonly isScaled: boolean } {
  const run = wordsIn(spoken);
  const isScaled = run.some((word) => SCALES.has(word));
  const number = isScaled ? scaled(run) : pairs(run.map((word) => VALUES.get(word) as number));
  return { number: withoutZeros(number), isScaled };
}

export function withoutZeros(number: string): string {
  return number.replace(/^0+(?=\d)/, "");
}

function scaled(run: readonly string[]): string {
  let [total, current] = [0, 0];
  for (const word of run) {
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

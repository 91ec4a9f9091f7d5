import { sittingDays } from "./calendar.js";
import type { Random } from "./random.js";
import { BILL_KINDS, BILL_TITLES, type BillKind, RESOLUTION_TITLES, type Topic } from "./vocabulary.js";

/** Whether measures of a kind have a title that people say: "the Inflation Reduction Act". */
export function isAct(kind: BillKind): boolean {
  return kind === "hr" || kind === "s";
}

export function typedNumber(kind: BillKind, digits: string): string {
  return BILL_KINDS[kind].typed.replace("#", digits);
}

/** The usual spellings of a number in captions; common ones appear several times. */
export function numberForms(kind: BillKind, digits: string): readonly string[] {
  return BILL_KINDS[kind].forms.map((form) => form.replace("#", digits));
}

/** A title of a bill; one in eight ends with the year. */
export function actTitle(random: Random, topic: Topic, congress: number): string {
  const title = `${random.pick(BILL_TITLES.scopes)}${random.pick(topic.bills)} ${random.pick(BILL_TITLES.endings)}`;
  return random.chance(1 / 8) ? `${title} of ${yearOf(random, congress)}` : title;
}

/** A title that contains another one: "America's Water Infrastructure Act". */
export function longerTitle(random: Random, title: string): string {
  return `${random.pick(BILL_TITLES.longer)}${withoutYear(title)}`;
}

/** The title of a resolution, as the journals print it. People seldom say it. */
export function resolutionTitle(random: Random, topic: Topic, joint: boolean): string {
  const subject = random.pick(topic.bills);
  const office = random.pick(RESOLUTION_TITLES.offices);
  const template = random.pick(joint ? RESOLUTION_TITLES.joint : RESOLUTION_TITLES.other);
  return template.replace("{subject}", subject).replace("{office}", office);
}

export function yearOf(random: Random, congress: number): number {
  const first = new Date(sittingDays(congress).first * 1000).getUTCFullYear();
  return first + random.below(2);
}

const YEAR = / of \d{4}$/;

/** A title without the year at its end. //=> withoutYear("Ballot Access Act of 2021") is "Ballot Access Act" */
export function withoutYear(title: string): string {
  return title.replace(YEAR, "");
}

export function hasYear(title: string): boolean {
  return YEAR.test(title);
}

/**
 * A title as the live archive lists it for the 115th to the 117th Congress: every v, x, y and z is a blank.
 *
 * @example
 * withLostLetters("Energy Flexibility Modernization Act"); //=> "Energ  Fle ibilit  Moderni ation Act"
 */
export function withLostLetters(title: string): string {
  return title.replace(/[vxyz]/g, " ");
}

/**
 * The initials of a title, in both spellings; none if they are too few or too many to be said.
 *
 * @example
 * acronyms("Inflation Reduction Act"); //=> ["I.R.A.", "IRA"]
 */
export function acronyms(title: string): readonly string[] {
  const initials = (withoutYear(title).match(/\b[A-Z]/g) ?? []).join("");
  return initials.length < 3 || initials.length > 5 ? [] : [`${[...initials].join(".")}.`, initials];
}

/** The short form of a title. //=> shortTitle("Inflation Reduction Act") is "Inflation Reduction bill" */
export function shortTitle(title: string): string {
  return withoutYear(title).replace(/ Act$/, " bill");
}

const ONES = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
const TENS = " ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/**
 * The ways in which people read out a number, 1 to 9999, the most common first.
 *
 * @example
 * numberWords(5376); //=> ["fifty-three seventy-six", "five three seven six", "fifty three seventy six", …]
 * numberWords(1);    //=> ["one"]
 */
export function numberWords(number: number): readonly string[] {
  const [high, low] = [Math.floor(number / 100), number % 100];
  const read = [inFull(number)];
  if (number >= 100 && (high < 10 || high % 10 > 0)) {
    // 5376: "fifty-three seventy-six"; 5300: "fifty-three hundred".
    if (low === 0) read[0] = `${inFull(high)} hundred`;
    else read.unshift(`${inFull(high)} ${low < 10 ? `oh ${ONES[low]}` : inFull(low)}`);
    if (low > 0 && high < 10) read.push(`${ONES[high]} hundred and ${inFull(low)}`);
  }
  if (number > 99) read.splice(1, 0, [...String(number)].map((digit) => ONES[Number(digit)]).join(" "));
  return [...new Set([...read, ...read.map((words) => words.replaceAll("-", " "))])];
}

/** 5376: "five thousand three hundred seventy-six". */
function inFull(number: number): string {
  if (number < 20) return ONES[number] ?? "";
  const [size, name] = number < 100 ? [10, "-"] : number < 1000 ? [100, " hundred "] : [1000, " thousand "];
  const first = Math.floor(number / size);
  const rest = number % size === 0 ? "" : inFull(number % size);
  return `${(size === 10 ? TENS : ONES)[first]}${rest === "" ? name.trimEnd().replace("-", "") : name}${rest}`;
}

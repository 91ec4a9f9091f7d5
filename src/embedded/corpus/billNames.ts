import { sittingDays } from "./calendar.js";
import type { Random } from "./random.js";
import { BILL_KINDS, BILL_TITLES, type BillKind, RESOLUTION_TITLES, type Topic } from "./vocabulary.js";

/** Whether measures of a kind have a title that people say: "the Inflation Reduction Act". */
export function isAct(kind: BillKind): boolean {
  return kind === "hr" || kind === "s";
}

/**
 * A number as one types it.
 *
 * @example
 * typedNumber("sjres", "10"); //=> "S.J. Res. 10"
 */
export function typedNumber(kind: BillKind, digits: string): string {
  return BILL_KINDS[kind].typed.replace("#", digits);
}

/**
 * The usual spellings of a number in captions; common ones appear several times.
 *
 * @example
 * numberForms("hr", "5376"); //=> ["H.R. 5376", …, "HR 5376", …, "House Bill 5376"]
 */
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

/** A year of a Congress. */
export function yearOf(random: Random, congress: number): number {
  const first = new Date(sittingDays(congress).first * 1000).getUTCFullYear();
  return first + random.below(2);
}

const YEAR = / of \d{4}$/;

/** A title without the year at its end. //=> withoutYear("Ballot Access Act of 2021") is "Ballot Access Act" */
export function withoutYear(title: string): string {
  return title.replace(YEAR, "");
}

/** Whether a title ends with a year. */
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
  const digits = String(number);
  const read = [number < 100 ? underHundred(number) : number < 1_000 ? hundreds(digits) : thousands(digits)].flat();
  if (digits.length > 2) read.splice(1, 0, [...digits].map((digit) => ONES[Number(digit)]).join(" "));
  return [...new Set([...read, ...read.map((words) => words.replaceAll("-", " "))])];
}

function underHundred(number: number): string {
  if (number < 20) return ONES[number] ?? "";
  const one = number % 10;
  return `${TENS[Math.floor(number / 10)]}${one === 0 ? "" : `-${ONES[one]}`}`;
}

/** 842: "eight forty-two", "eight hundred forty-two", "eight hundred and forty-two". */
function hundreds(digits: string): string[] {
  const first = ONES[Number(digits[0])];
  const rest = Number(digits.slice(1));
  if (rest === 0) return [`${first} hundred`];
  const short = rest < 10 ? `${first} oh ${ONES[rest]}` : `${first} ${underHundred(rest)}`;
  return [short, `${first} hundred ${underHundred(rest)}`, `${first} hundred and ${underHundred(rest)}`];
}

/** 5376: "fifty-three seventy-six", "five thousand three hundred seventy-six". */
function thousands(digits: string): string[] {
  const [high, low] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  const thousand = `${ONES[Number(digits[0])]} thousand`;
  const rest = Number(digits.slice(1));
  if (rest === 0) return [thousand];
  const below = rest < 100 ? underHundred(rest) : (hundreds(digits.slice(1)).at(-1)?.replace(" and ", " ") ?? "");
  const full = `${thousand} ${below}`;
  if (high % 10 === 0) return [full];
  if (low === 0) return [`${underHundred(high)} hundred`];
  return [`${underHundred(high)} ${low < 10 ? `oh ${ONES[low]}` : underHundred(low)}`, full];
}

import { sittingDays } from "./calendar.js";
import type { Random } from "./random.js";
import type { Topic } from "./topics.js";

const SCOPES = ["", "", "", "American ", "National ", "Community ", "Tribal ", "Small Business ", "Northern "];
const ENDINGS = [
  "Act",
  "Improvement Act",
  "Reform Act",
  "Modernization Act",
  "Fairness Act",
  "Development Act",
  "Transparency Act",
  "and Accountability Act",
  "Protection Act",
  "Grants Act",
];
/** Before the whole title of another bill. */
const LONGER = ["America's ", "Rural ", "Women's ", "Great Lakes ", "Gulf Coast ", "Veterans "];

/** A title of a bill; one in eight ends with the year. */
export function actTitle(random: Random, topic: Topic, congress: number): string {
  const title = `${random.pick(SCOPES)}${random.pick(topic.bills)} ${random.pick(ENDINGS)}`;
  return random.chance(1 / 8) ? `${title} of ${yearOf(random, congress)}` : title;
}

/** A title that contains another one: "America's Water Infrastructure Act". */
export function longerTitle(random: Random, title: string): string {
  return `${random.pick(LONGER)}${withoutYear(title)}`;
}

/** The title of a resolution, as the journals print it. People seldom say it. */
export function resolutionTitle(random: Random, topic: Topic, joint: boolean): string {
  const subject = random.pick(topic.bills);
  const office = random.pick(["Department of Energy", "Department of Labor", "Environmental Protection Agency"]);
  return random.pick(
    joint
      ? [
          `Disapproving the rule submitted by the ${office} relating to ${subject}`,
          `Proposing an amendment to the Constitution relating to ${subject}`,
          `Making further continuing appropriations for ${subject}`,
        ]
      : [
          `Recognizing the importance of ${subject} to the people of the United States`,
          `Expressing support for the designation of a National ${subject} Week`,
          `Providing for consideration of measures relating to ${subject}`,
          `Authorizing the use of the Capitol grounds for an event on ${subject}`,
        ],
  );
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

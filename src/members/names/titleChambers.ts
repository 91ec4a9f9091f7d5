import type { MemberChamber } from "../legislator.js";

const SENATE = /(?<!\bstate )\bsenator\b|\bu\.?s\.? senate\b/i;
const HOUSE =
  /(?<!\bstate )\b(?:representative|congress(?:wo)?man|delegate|resident commissioner)\b|\bu\.?s\.? house\b|\bspeaker of the house\b/i;
const NO_MEMBER = /\bclerk\b|\bstaff\b|\baide\b/i;

/**
 * The chambers of Congress that titles name. Titles list everything that somebody has been, so there may be both.
 *
 * @returns empty for titles of somebody who is no member; undefined without titles
 * @example
 * titleChambers("U.S. Representative, U.S. Senator"); //=> Set { "senate", "house" }
 * titleChambers("State Senator"); //=> Set {}
 */
export function titleChambers(titles: string): ReadonlySet<MemberChamber> | undefined {
  if (titles.trim() === "") return undefined;
  const chambers = new Set<MemberChamber>();
  if (NO_MEMBER.test(titles)) return chambers;
  if (SENATE.test(titles)) chambers.add("senate");
  if (HOUSE.test(titles)) chambers.add("house");
  return chambers;
}

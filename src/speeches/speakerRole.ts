import type { Row } from "../service/operations/rows.js";

/** Speakers who speak for the chamber, not for themselves. */
export type SpeakerRole = "presiding officer" | "clerk";

const NAMES: ReadonlyArray<readonly [SpeakerRole, RegExp]> = [
  ["clerk", /\b(?:clerk|secretary of the senate)\b/i],
  [
    "presiding officer",
    /\b(?:presiding officer|president pro tempore|speaker pro tempore|acting president|acting chair|the chair)\b/i,
  ],
];
/** What only they say. */
const PHRASES: ReadonlyArray<readonly [SpeakerRole, RegExp]> = [
  ["presiding officer", /\bthe clerk will (?:report|read|call|designate|state)\b/i],
  ["presiding officer", /\b(?:the )?(?:senator|gentleman|gentlewoman|gentlelady) from [a-z ]{4,20} is recognized\b/i],
  ["presiding officer", /\bwithout objection,? (?:it is )?so ordered\b/i],
  ["presiding officer", /\bthe (?:ayes|noes|yeas|nays) (?:appear to )?have it\b/i],
  [
    "clerk",
    /\ba (?:bill|joint resolution|concurrent resolution|resolution) to (?:provide|amend|authorize|make|establish|designate)\b/i,
  ],
];
/** Formulas stand at the beginning. */
const OPENING = 400;

/**
 * Whether a speech is that of a presiding officer or a clerk: by the name or title of the speaker, or, if nobody is named, by
 * formulas such as "the clerk will report". Members preside in turns, so a formula says nothing about an identified speaker.
 *
 * @example
 * speakerRole({ person: "Presiding Officer", text: "…" }, null, false); //=> "presiding officer"
 */
export function speakerRole({ person, text }: Row, title: string | null, isIdentified: boolean): SpeakerRole | null {
  const name = `${typeof person === "string" ? person : ""}, ${title ?? ""}`;
  const byName = NAMES.find(([, pattern]) => pattern.test(name));
  if (byName !== undefined || isIdentified) return byName?.[0] ?? null;
  const opening = typeof text === "string" ? text.slice(0, OPENING) : "";
  return PHRASES.find(([, pattern]) => pattern.test(opening))?.[0] ?? null;
}

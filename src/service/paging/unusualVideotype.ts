import { closestMatch } from "leven";
import { quoted } from "../../util/quoted.js";
import type { ArchiveRequest } from "../operations/request.js";

/** Types of video that are known; the service may have more. */
const KNOWN = [
  "Speech",
  "Debate",
  "Hearing",
  "Interview",
  "Call-In",
  "News Conference",
  "Forum",
  "Remarks",
  "Ceremony",
];

/**
 * What to say of a search for mentions that found nothing, where its type of video is none of the known ones.
 *
 * @example
 * unusualVideotype({ operation: "mentions", path: "/mentions", query: [["videotype", "Speach"]] });
 * //=> 'The video type "Speach" is unusual. Did you mean "Speech"?'
 */
export function unusualVideotype({ operation, query }: ArchiveRequest): string | undefined {
  const given = operation === "mentions" ? query.find(([name]) => name === "videotype")?.[1] : undefined;
  if (given === undefined || KNOWN.some((known) => known.toLowerCase() === given.trim().toLowerCase()))
    return undefined;
  const names = KNOWN.map((known) => known.toLowerCase());
  const near = closestMatch(given.slice(0, 80).toLowerCase(), names, { maxDistance: 3 });
  const meant = KNOWN.find((known) => known.toLowerCase() === near);
  const hint = meant === undefined ? `Known ones are ${KNOWN.join(", ")}.` : `Did you mean ${quoted(meant)}?`;
  return `The video type ${quoted(given)} is unusual. ${hint}`;
}

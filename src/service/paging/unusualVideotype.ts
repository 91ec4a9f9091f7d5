import { closestMatch } from "leven";
import { quoted } from "../../util/quoted.js";
import type { ArchiveRequest } from "../operations/request.js";

/** The known video types. The service may have more. */
export const VIDEO_TYPES: readonly string[] = [
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
 * A remark for a search for mentions that found nothing, if its video type is not a known one.
 *
 * @example
 * unusualVideotype({ operation: "mentions", path: "/mentions", query: [["videotype", "Speach"]] });
 * //=> 'The video type "Speach" is unusual. Did you mean "Speech"?'
 */
export function unusualVideotype({ operation, query }: ArchiveRequest): string | undefined {
  const videotype = operation === "mentions" ? query.find(([name]) => name === "videotype")?.[1] : undefined;
  if (videotype === undefined || VIDEO_TYPES.some((known) => known.toLowerCase() === videotype.trim().toLowerCase()))
    return undefined;
  const names = VIDEO_TYPES.map((known) => known.toLowerCase());
  const near = closestMatch(videotype.slice(0, 80).toLowerCase(), names, { maxDistance: 3 });
  const meant = VIDEO_TYPES.find((known) => known.toLowerCase() === near);
  const hint = meant === undefined ? `Known types are ${VIDEO_TYPES.join(", ")}.` : `Did you mean ${quoted(meant)}?`;
  return `The video type ${quoted(videotype)} is unusual. ${hint}`;
}

/** Warns that a search found nothing, possibly for the reason of the remark. With `some`, other searches of the call did find rows. */
export function warnOfNothing(remark: string | undefined, some = false): void {
  if (remark === undefined) return;
  process.emitWarning(`${some ? "Some searches found nothing." : "Nothing was found."} ${remark}`, {
    type: "ArchiveFramesWarning",
    code: remark.startsWith("The video type") ? "UNUSUAL_VIDEOTYPE" : "NO_ROWS_MEMBER",
  });
}

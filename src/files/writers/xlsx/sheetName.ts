import { cutText } from "./cutText.js";

const LONGEST = 31;
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\p{Cs}]/gu;

/**
 * A name that Excel takes for the first sheet, or with `number` for a further one.
 *
 * @example
 * sheetName("mentions"); //=> "mentions"
 * sheetName("mentions", 2); //=> "mentions 2"
 * sheetName("a/b"); //=> "a_b"
 */
export function sheetName(name: string, number = 1): string {
  const first = bare(cutText(bare(name.replace(FORBIDDEN, "_")), LONGEST));
  if (number > 1) return further(first || "Sheet", ` ${number}`);
  // Excel keeps "History" for itself.
  return /^history$/i.test(first) ? `${first}_` : first || "Sheet";
}

function further(first: string, suffix: string): string {
  const name = cutText(first, LONGEST - suffix.length) + suffix;
  return name === first ? `${cutText(first, LONGEST - suffix.length - 1)}_${suffix}` : name;
}

/** Without what may not stand at either end. */
function bare(name: string): string {
  // Looked at from the start of each run of them alone: a long run in the middle would be gone through again and again.
  return name.replace(/^[\s']+|(?<![\s'])[\s']+$/g, "");
}

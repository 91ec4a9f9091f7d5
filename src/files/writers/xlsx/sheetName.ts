import { truncateText } from "./xmlText.js";

const MAX_LENGTH = 31;
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\p{Cs}]/gu;

/**
 * A valid name for the first sheet, or with `number` for a further one.
 *
 * @example
 * sheetName("mentions"); //=> "mentions"
 * sheetName("mentions", 2); //=> "mentions 2"
 * sheetName("a/b"); //=> "a_b"
 */
export function sheetName(name: string, number = 1): string {
  const first = trim(truncateText(trim(name.replace(FORBIDDEN, "_")), MAX_LENGTH));
  if (number > 1) return numbered(first || "Sheet", ` ${number}`);
  // Excel reserves "History".
  return /^history$/i.test(first) ? `${first}_` : first || "Sheet";
}

function numbered(first: string, suffix: string): string {
  const name = truncateText(first, MAX_LENGTH - suffix.length) + suffix;
  return name === first ? `${truncateText(first, MAX_LENGTH - suffix.length - 1)}_${suffix}` : name;
}

/** Removes characters that Excel does not allow at either end. */
function trim(name: string): string {
  // The lookbehind avoids quadratic time for a long run of such characters in the middle.
  return name.replace(/^[\s']+|(?<![\s'])[\s']+$/g, "");
}

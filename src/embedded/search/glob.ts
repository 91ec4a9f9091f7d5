/**
 * Whether a token matches a pattern of characters, "?" (any one character) and "*" (any number of characters). The time is at
 * most proportional to pattern length times token length, so no query can hang the archive.
 *
 * @example
 * matchesGlob([ANY_ONE, ..."limate"], "climate"); //=> true
 */
export function matchesGlob(pattern: readonly GlobPart[], token: string): boolean {
  const characters = [...token];
  let at = 0;
  let part = 0;
  let star = -1;
  let starStart = 0;
  while (at < characters.length) {
    const expected = pattern[part];
    if (expected === ANY_RUN) {
      star = part++;
      starStart = at;
    } else if (expected !== undefined && (expected === ANY_ONE || expected === characters[at])) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++starStart;
    } else {
      return false;
    }
  }
  while (pattern[part] === ANY_RUN) part++;
  return part === pattern.length;
}

/** Any one character. */
export const ANY_ONE = Symbol("?");
/** Any number of characters, including none. */
export const ANY_RUN = Symbol("*");
/** One character of a pattern, or a wildcard. */
export type GlobPart = string | typeof ANY_ONE | typeof ANY_RUN;

/**
 * Whether a token fits a pattern of literals, "?" (any one character) and "*" (any run of characters). Takes time in
 * proportion to pattern and token, whatever the pattern, so no query can make the archive hang.
 *
 * @example
 * matchesGlob([ANY_ONE, ..."limate"], "climate"); //=> true
 */
export function matchesGlob(pattern: readonly GlobPart[], token: string): boolean {
  const characters = [...token];
  let at = 0;
  let part = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const wanted = pattern[part];
    if (wanted === ANY_RUN) {
      star = part++;
      starAt = at;
    } else if (wanted !== undefined && (wanted === ANY_ONE || wanted === characters[at])) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (pattern[part] === ANY_RUN) part++;
  return part === pattern.length;
}

/** Any one character. */
export const ANY_ONE = Symbol("?");
/** Any run of characters, also none. */
export const ANY_RUN = Symbol("*");
/** One character of a pattern, or a wildcard. */
export type GlobPart = string | typeof ANY_ONE | typeof ANY_RUN;

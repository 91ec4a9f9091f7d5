import { type IndexedText, TextIndex } from "../search/textIndex.js";
import { fold, tokens } from "../search/tokens.js";

/** The index of one searchable field: finds documents by text or by wildcard pattern. */
export interface FieldIndex {
  matchingText(text: string): Iterable<number>;
  matchingPattern(pattern: readonly GlobPart[]): Iterable<number>;
}

/** An index that is built on its first search. */
export function lazyField(build: () => FieldIndex): FieldIndex {
  let built: FieldIndex | undefined;
  const index = (): FieldIndex => {
    built ??= build();
    return built;
  };
  return {
    matchingText: (text) => index().matchingText(text),
    matchingPattern: (pattern) => index().matchingPattern(pattern),
  };
}

/** A field of text. Several words match as a phrase. */
export function wordField(documents: readonly (readonly IndexedText[])[]): FieldIndex {
  const index = new TextIndex(documents);
  return {
    matchingText: (text) => index.phrase(tokens(text)),
    *matchingPattern(pattern) {
      for (const token of index.tokensWhere((candidate) => matchesGlob(pattern, candidate)))
        yield* index.phrase([token]);
    },
  };
}

/** A field of exact values, such as numbers and dates. */
export function valueField(documents: readonly (readonly string[])[]): FieldIndex {
  const byValue = new Map<string, number[]>();
  documents.forEach((values, document) => {
    for (const value of values) {
      const key = fold(value);
      const list = byValue.get(key);
      if (list) list.push(document);
      else byValue.set(key, [document]);
    }
  });
  return {
    matchingText: (text) => byValue.get(fold(text).trim()) ?? [],
    matchingPattern: (pattern) =>
      [...byValue].filter(([value]) => matchesGlob(pattern, value)).flatMap(([, list]) => list),
  };
}

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

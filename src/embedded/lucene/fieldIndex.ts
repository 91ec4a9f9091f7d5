import { type GlobPart, matchesGlob } from "../search/glob.js";
import { type IndexedText, TextIndex } from "../search/textIndex.js";
import { fold, tokens } from "../search/tokens.js";

/** One searchable field: which documents hold a text, or a word that fits a pattern. */
export interface FieldIndex {
  matchingText(text: string): Iterable<number>;
  matchingPattern(pattern: readonly GlobPart[]): Iterable<number>;
}

/** A field that is indexed when it is first searched. */
export function lazyField(make: () => FieldIndex): FieldIndex {
  let made: FieldIndex | undefined;
  const index = (): FieldIndex => {
    made ??= make();
    return made;
  };
  return {
    matchingText: (text) => index().matchingText(text),
    matchingPattern: (pattern) => index().matchingPattern(pattern),
  };
}

/** A field of words: a text of several words matches as a phrase. */
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

/** A field of whole values, such as numbers and dates. */
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

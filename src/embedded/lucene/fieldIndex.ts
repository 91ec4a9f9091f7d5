import { type GlobPart, matchesGlob } from "../search/glob.js";
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

import { type GlobPart, matchesGlob } from "../search/glob.js";
import { type Text, TextIndex } from "../search/TextIndex.js";
import { fold, tokens } from "../search/tokens.js";

/** One searchable field: which documents hold a text, or a word that fits a pattern. */
export interface FieldIndex {
  matching(text: string): Iterable<number>;
  fitting(pattern: readonly GlobPart[]): Iterable<number>;
}

/** A field that is indexed when it is first searched. */
export function lazyField(make: () => FieldIndex): FieldIndex {
  let made: FieldIndex | undefined;
  const index = (): FieldIndex => {
    made ??= make();
    return made;
  };
  return { matching: (text) => index().matching(text), fitting: (pattern) => index().fitting(pattern) };
}

/** A field of words: a text of several words matches as a phrase. */
export function wordField(documents: readonly (readonly Text[])[]): FieldIndex {
  const index = new TextIndex(documents);
  return {
    matching: (text) => index.phrase(tokens(text)),
    *fitting(pattern) {
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
    matching: (text) => byValue.get(fold(text).trim()) ?? [],
    fitting: (pattern) => [...byValue].filter(([value]) => matchesGlob(pattern, value)).flatMap(([, list]) => list),
  };
}

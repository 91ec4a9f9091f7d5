import { createRequire } from "node:module";

/**
 * The most frequent English words, which say nothing about a subject: the list `eng` of the package `stopword` (MIT). Add words of
 * the genre, such as "senator" or "yield", yourself.
 *
 * @returns about a hundred words in lower case; a new list every time
 * @example
 * await terms(frame, { stopwords: [...stopwords(), "senator", "yield"] });
 */
export function stopwords(): string[] {
  // Loaded on first use: the package has lists of 62 languages.
  const { eng } = createRequire(import.meta.url)("stopword") as { readonly eng: readonly string[] };
  return [...eng];
}

import type { SearchRun } from "./searchReader.js";

/**
 * Whether the service takes a query for one that was sent: that one has found a text that has the words of the query and not its own, as
 * "5,376" for "5376".
 */
export function isFoundByOther(query: string, runs: readonly SearchRun[]): boolean {
  return runs.some(({ search, reader }) =>
    reader.firstPage.some(
      ({ text }) => typeof text === "string" && isSpelled(query, text) && !isSpelled(search.query, text),
    ),
  );
}

/** "S.2410": the service may or may not split such a word. */
const WORD_END = /[\p{L}\p{N}]\.?$/u;
const WORD_GOES_ON = /^['’,.]?[\p{L}\p{N}]/u;

/** Whether a text has a phrase to the letter, capitals and white space aside. */
function isSpelled(query: string, text: string): boolean {
  const phrase = query.replaceAll('"', "").toLowerCase();
  const spoken = text.toLowerCase().replace(/\s+/g, " ");
  for (let at = spoken.indexOf(phrase); at >= 0; at = spoken.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    const isPart =
      WORD_END.test(spoken.slice(Math.max(0, at - 2), at)) || WORD_GOES_ON.test(spoken.slice(end, end + 3));
    if (!isPart) return true;
  }
  return false;
}

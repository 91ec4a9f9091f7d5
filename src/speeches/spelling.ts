import type { SearchRun } from "./searchReader.js";

/**
 * Whether the service takes a query for one that was sent: that one has found a text that has the words of the query and not its own, as
 * "5,376" for "5376".
 */
export function isFoundByOther(query: string, runs: readonly SearchRun[]): boolean {
  const spelled = spelledAs(query);
  return runs.some(({ search, reader }) => {
    const sent = spelledAs(search.query);
    return reader.firstPage.some(({ text }) => typeof text === "string" && spelled.test(text) && !sent.test(text));
  });
}

/** Matches a phrase to the letter, but not as a part of words: the service may or may not split "S.2410". */
function spelledAs(query: string): RegExp {
  const letters = query.replaceAll('"', "").replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const phrase = letters.replace(/\s+/g, String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}]\.?)${phrase}(?!['’,.]?[\p{L}\p{N}])`, "iu");
}

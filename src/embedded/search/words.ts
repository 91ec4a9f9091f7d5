/** Between the values of a text, so that no phrase spans two of them. No word looks like it. */
const GAP = " | ";

/** Texts in the form in which phrases are looked for: their words with spaces around each. */
export function searchable(values: readonly string[]): string {
  return ` ${values.map((value) => words(value).join(" ")).join(GAP)} `;
}

/** Whether a searchable text has the words next to each other; none are in no text. */
export function hasPhrase(text: string, phrase: readonly string[]): boolean {
  return phrase.length > 0 && text.includes(` ${phrase.join(" ")} `);
}

/**
 * The phrases of a plain search: text in double quotes, and every other word. An unbalanced quotation mark is ignored.
 *
 * @example
 * phrasesOf('climate "green new deal"'); //=> [["climate"], ["green", "new", "deal"]]
 */
export function phrasesOf(query: string): string[][] {
  const parts = query.split('"');
  return parts.flatMap((part, at) => {
    const all = words(part);
    const isQuoted = at % 2 === 1 && at < parts.length - 1;
    return isQuoted && all.length > 0 ? [all] : all.map((word) => [word]);
  });
}

/** Periods and apostrophes join letters; periods and commas join digits. */
const WORD = /[\p{L}\p{N}]+(?:(?:(?<=[0-9])[.,](?=[0-9])|(?<=[^0-9])[.'](?=(?![0-9])[\p{L}\p{N}]))[\p{L}\p{N}]+)*/gu;

/**
 * The words of a text: lower case, no accents, no punctuation. Spelling variants stay distinct: initials keep their inner periods and
 * spaces separate words, so "H.R. 5376", "HR 5376" and "H R 5376" differ, while "(H.R. 5376)," equals the first. Possessive 's and
 * thousands separators are left out.
 *
 * @example
 * words("H.R. 5376, José's 1,200"); //=> ["h.r", "5376", "jose", "1200"]
 */
export function words(text: string): string[] {
  const all = fold(text).match(WORD) ?? [];
  return all.map((word) => (word.endsWith("'s") ? word.slice(0, -2) : word.replaceAll(",", "")));
}

/**
 * Lower case without accents: the form in which names and words are compared.
 *
 * @example
 * fold("Zoë O’Brien"); //=> "zoe o'brien"
 */
export function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("’", "'");
}

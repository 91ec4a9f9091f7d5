/** A name in words, lower case, without accents, forms of address and suffix. */
export interface NameWords {
  readonly words: readonly string[];
  /** "jr", "sr", "ii" and so on; undefined without one. */
  readonly suffix: string | undefined;
}

const SUFFIXES = new Set(["jr", "sr", "ii", "iii", "iv"]);
const DEGREES = new Set(["md", "phd", "esq", "dds", "ret"]);
const FORMS_OF_ADDRESS = new Set(
  (
    "senator sen representative rep congressman congresswoman delegate mr mrs ms miss dr hon honorable the speaker " +
    "leader gov governor"
  ).split(" "),
);
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

/**
 * Normalizes a name for comparison: accents, punctuation, case, initials in sequence ("J. D." is "JD"), "Jr." and degrees.
 *
 * @example
 * nameWords("Sen. José P. O'Neill-Díaz, Jr."); //=> { words: ["jose", "p", "oneill", "diaz"], suffix: "jr" }
 */
export function nameWords(name: string): NameWords {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[øłđßæœı]/g, (letter) => LETTERS[letter] as string)
    .replace(/[.'’‘`]/g, (mark) => (mark === "." ? " " : ""));
  const words = joinInitials(plain.match(/[\p{L}\p{N}]+/gu) ?? []);
  while (words.length > 1 && FORMS_OF_ADDRESS.has(words[0] as string)) words.shift();
  let suffix: string | undefined;
  while (words.length > 2) {
    const last = words.at(-1) as string;
    if (SUFFIXES.has(last)) suffix ??= last;
    else if (!DEGREES.has(last)) break;
    words.pop();
  }
  return { words, suffix };
}

/** Joins single letters in sequence: "J.D. Vance", "J. D. Vance" and "JD Vance" are equal. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let run = "";
  for (const word of words) {
    if (word.length === 1) {
      run += word;
      continue;
    }
    if (run !== "") joined.push(run);
    run = "";
    joined.push(word);
  }
  if (run !== "") joined.push(run);
  return joined;
}

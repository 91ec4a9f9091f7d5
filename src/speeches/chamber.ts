/** Whose speeches to return, by the title of the speaker. */
export type Chamber = "senate" | "house" | "any";

/** The chambers, the default first. */
export const CHAMBERS: readonly Chamber[] = ["senate", "house", "any"];

const WORDS: Readonly<Record<Exclude<Chamber, "any">, RegExp>> = {
  senate: /senator/i,
  house: /\b(?:representative|delegate)\b/i,
};

/** What a title has to contain, in words. */
export const TITLE_WORDS: Readonly<Record<Chamber, string>> = {
  senate: "the word Senator",
  house: "the word Representative or Delegate",
  any: "anything",
};

/**
 * Whether a title belongs to a chamber.
 *
 * @example
 * isOfChamber("Attorney, Chair, U.S. SENATOR", "senate"); //=> true
 */
export function isOfChamber(title: string | null, chamber: Chamber): boolean {
  return chamber === "any" || (title !== null && WORDS[chamber].test(title));
}

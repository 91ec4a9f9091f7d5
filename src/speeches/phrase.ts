/**
 * A text as a quoted phrase, which the service finds word for word: without quotes inside, blanks collapsed.
 *
 * @returns undefined where nothing is left of it
 * @example
 * phrase('The  "Inflation" Act'); //=> '"The Inflation Act"'
 */
export function phrase(text: string): string | undefined {
  const words = text.replaceAll('"', "").trim().replace(/\s+/g, " ");
  return words === "" ? undefined : `"${words}"`;
}

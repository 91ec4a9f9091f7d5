import leven from "leven";

/**
 * The name that was probably meant: case, hyphens and underscores aside, it differs in one letter at most, or in two that are swapped.
 *
 * @param known names of which one may be meant
 * @returns undefined if the name is like none of them
 * @example
 * misspelled("min_date", ["mindate", "query"]); //=> "mindate"
 * misspelled("titel", ["title", "number"]);     //=> "title"
 * misspelled("topic", ["title", "type"]);       //=> undefined
 */
export function misspelled(name: string, known: readonly string[]): string | undefined {
  // A column may have a name of a megabyte.
  const given = plain(name.slice(0, 80));
  return known.find((one) => leven(given, plain(one)) <= 1 || isSwapped(given, plain(one)));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[-_\s]/g, "");
}

/** Whether two neighbours of one are swapped in the other. */
function isSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, place) => letter !== b[place]);
  return a.length === b.length && a.slice(0, at) + a[at + 1] + a[at] + a.slice(at + 2) === b;
}

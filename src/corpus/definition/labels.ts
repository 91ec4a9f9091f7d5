import leven from "leven";
import { invalid } from "../../errors/validators.js";

/**
 * The labels of a row: every column with a value that is not one of its own, as text.
 *
 * @param own names of columns that are no labels
 * @param check throws for a name that cannot be a label
 * @throws ValidationError for a name of `own` with a spelling mistake, which would otherwise be ignored; or for a value that is neither a
 *   text, a number, a boolean nor a date
 */
export function labelsOf(
  row: Readonly<Record<string, unknown>>,
  own: readonly string[],
  check: (name: string) => void,
): Record<string, string> {
  const labels = Object.entries(row).filter(
    ([name, value]) => !own.includes(name) && value !== undefined && value !== null,
  );
  for (const [name] of labels) {
    check(name);
    const near = misspelled(name, own);
    if (near !== undefined)
      throw invalid("label", name, `Did you mean ${near}? To keep a label, give it a name that is not so similar.`);
  }
  return Object.fromEntries(labels.map(([name, value]) => [name, labelText(name, value)]));
}

function labelText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw invalid(name, value, "A label is a text, a number or a date.");
}

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

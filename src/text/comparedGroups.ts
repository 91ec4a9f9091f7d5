import type { ValidationError } from "../errors/index.js";
import { faulty, invalid } from "../errors/validators.js";
import { quotedList } from "../util/quoted.js";
import type { RateCounts } from "./counting/countRates.js";

/** Two groups, the one to subtract last. */
export type Pair = readonly [number, number];

/**
 * The groups that `compare` compares: the two that are named, or with a design "after" and "before" of every one that is named.
 *
 * @throws ValidationError for names that no group has, and if the two groups are not clear
 */
export function comparedGroups({ grouping, groups }: RateCounts, given: unknown, isDesign: boolean): readonly Pair[] {
  const [by = ""] = grouping.by;
  const hasBy = !isDesign || grouping.by.length > 1;
  if (given !== undefined && (!Array.isArray(given) || !hasBy || (!isDesign && given.length !== 2))) {
    throw invalid(
      "groups",
      given,
      'Give two values of by, for example by: "party", groups: ["Democrat", "Republican"].',
    );
  }
  const values = hasBy ? groups.map((group) => grouping.groups[group]?.[0]).filter((value) => value !== null) : [];
  const known = [...new Set(values)] as string[];
  const nameOf = (value: string) => grouping.nameOf(by, value);
  const chosen = (given as unknown[] | undefined)?.map((name) => {
    const found =
      known.find((value) => value === String(name)) ?? known.find((value) => nameOf(value) === String(name));
    if (found !== undefined) return found;
    throw chooseGroups(`there is no group ${JSON.stringify(name)}`, by, known.map(nameOf));
  });
  if (isDesign) {
    const sides = (chosen ?? (hasBy ? known : [undefined])).map((value) =>
      ["after", "before"].map((side) => grouping.indexOf(hasBy ? [value, side] : [side])),
    );
    return sides as unknown as readonly Pair[];
  }
  const two = new Set(chosen ?? known);
  if (two.size !== 2)
    throw chooseGroups(`"${by}" has ${two.size === 1 ? "one group" : `${two.size} groups`}`, by, known.map(nameOf));
  return [[...two].map((value) => grouping.indexOf([value])) as unknown as Pair];
}

function chooseGroups(what: string, by: string, known: readonly string[]): ValidationError {
  const hint = `Give values of ${by}, for example groups: ${quotedList(known.slice(0, 20))}.`;
  return faulty("groups", what, hint);
}

import type { ValidationError } from "../errors/index.js";
import { faulty, invalid } from "../errors/validators.js";
import { pluralize } from "../util/counts.js";
import { quotedList } from "../util/quoted.js";
import type { RateCounts } from "./counting/countRates.js";
import type { Grouping } from "./source/grouping.js";

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
  const chosen = (given as unknown[] | undefined)?.map((name) => chosenValue(name, grouping, by, known));
  if (isDesign) {
    const sides = (chosen ?? (hasBy ? known : [undefined])).map((value) =>
      ["after", "before"].map((side) => grouping.indexOf(hasBy ? [value, side] : [side])),
    );
    return sides as unknown as readonly Pair[];
  }
  const two = new Set(chosen ?? known);
  if (two.size !== 2) throw chooseGroups(`"${by}" has ${pluralize(two.size, "group")}`, grouping, by, known);
  return [[...two].map((value) => grouping.indexOf([value])) as unknown as Pair];
}

/** The value of the group that is named. @throws ValidationError with the names of all groups if there is none */
export function chosenValue(name: unknown, grouping: Grouping, by: string, known: readonly string[]): string {
  const found =
    known.find((value) => value === String(name)) ?? known.find((value) => grouping.nameOf(by, value) === String(name));
  if (found !== undefined) return found;
  throw chooseGroups(`there is no group ${JSON.stringify(name)}`, grouping, by, known);
}

export function chooseGroups(what: string, grouping: Grouping, by: string, known: readonly string[]): ValidationError {
  const names = known.slice(0, 20).map((value) => grouping.nameOf(by, value));
  return faulty("groups", what, `Give values of ${by}, for example groups: ${quotedList(names)}.`);
}

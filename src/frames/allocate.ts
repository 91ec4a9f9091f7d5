import { invalid, nonNegativeInteger, positiveInteger, show } from "../errors/validators.js";
import { sum } from "../util/sum.js";

/** How many rows of a sample each stratum gives: in proportion to its size, as many as the others, or what you say. */
export type Allocation = "proportional" | "equal" | Readonly<Record<string, number>>;

/**
 * The rows to draw from each stratum, never more than it has.
 *
 * @param sizes the rows of each stratum, by name
 * @param rows of all strata together; not needed if the allocation says how many of each
 * @throws ValidationError for anything else, and for strata that do not exist
 */
export function allocate(
  sizes: ReadonlyMap<string, number>,
  rows: unknown,
  allocation: Allocation = "proportional",
): number[] {
  const names = [...sizes.keys()];
  const limits = [...sizes.values()];
  if (typeof allocation === "object" && allocation !== null) {
    const unknown = Object.keys(allocation).find((name) => !sizes.has(name));
    if (unknown !== undefined)
      throw invalid("allocation", unknown, `Give some of ${names.slice(0, 20).map(show).join(", ")}.`);
    return names.map((name, at) =>
      Math.min(nonNegativeInteger(`allocation of ${name}`, allocation[name] ?? 0, 100), limits[at] as number),
    );
  }
  if (allocation !== "proportional" && allocation !== "equal")
    throw invalid("allocation", allocation, 'Give "proportional", "equal", or the rows of each stratum.');
  return spread(positiveInteger("rows", rows, 200), allocation === "equal" ? limits.map(() => 1) : limits, limits);
}

/** Whole numbers in proportion to weights, none above its limit. The largest remainders are rounded up. */
function spread(total: number, weights: readonly number[], limits: readonly number[]): number[] {
  const counts = weights.map(() => 0);
  const room = (at: number) => (limits[at] as number) - (counts[at] as number);
  for (let left = Math.min(total, sum(limits)); left > 0; ) {
    const open = weights.map((weight, at) => (room(at) > 0 ? weight : 0));
    const exact = open.map((weight) => (left * weight) / sum(open));
    const whole = exact.map((share, at) => Math.min(Math.floor(share), room(at)));
    if (sum(whole) === 0) {
      const order = exact.flatMap((share, at) => (share > 0 ? [{ at, share }] : []));
      order.sort((a, b) => b.share - a.share || a.at - b.at);
      for (const { at } of order.slice(0, left)) whole[at] = 1;
    }
    whole.forEach((share, at) => {
      counts[at] = (counts[at] as number) + share;
    });
    left -= sum(whole);
  }
  return counts;
}

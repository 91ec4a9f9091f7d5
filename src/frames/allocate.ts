import { invalid, nonNegativeInteger, positiveInteger, show } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";
import type { Stratum } from "./lineage/design.js";

/** How many rows of a sample each stratum gives: in proportion to its size, as many as the others, or what you say. */
export type Allocation = "proportional" | "equal" | Readonly<Record<string, number>>;

export interface Share {
  readonly count: number;
  /** The stratum, or the one that it was joined to: its size and the rows that are drawn from it. */
  readonly stratum: Stratum;
}

/** One row gives no variance, and a stratum without rows gives nothing. */
const LEAST = 2;

/**
 * The rows to draw from each stratum, never more than it has; the largest remainders are rounded up. Strata that would give fewer than two
 * rows are joined with their neighbours, so that every row has a chance, and a warning says so (`STRATA_JOINED`). Each of them still gives its
 * share of the joined rows, rounded up or down by systematic sampling.
 *
 * @param sizes the rows of each stratum, by name, in order
 * @param rows the total over all strata; not needed if the allocation says how many each gives
 * @param random returns numbers from 0 to below 1
 * @returns the shares in the order of the strata
 * @throws ValidationError for anything else, and for strata that do not exist
 */
export function allocate(
  sizes: ReadonlyMap<string, number>,
  rows: unknown,
  allocation: Allocation = "proportional",
  random: () => number,
): readonly Share[] {
  const names = [...sizes.keys()];
  const limits = [...sizes.values()];
  if (typeof allocation === "object" && allocation !== null) {
    const unknown = Object.keys(allocation).find((name) => !sizes.has(name));
    if (unknown !== undefined)
      throw invalid("allocation", unknown, `Give some of ${names.slice(0, 20).map(show).join(", ")}.`);
    return names.map((name, at) => {
      const of = limits[at] as number;
      const count = Math.min(nonNegativeInteger(`allocation of ${name}`, allocation[name] ?? 0, 100), of);
      return { count, stratum: { name, of, drawn: count } };
    });
  }
  if (allocation !== "proportional" && allocation !== "equal")
    throw invalid("allocation", allocation, 'Give "proportional", "equal", or the rows of each stratum.');
  const total = Math.min(positiveInteger("rows", rows, 200), sum(limits));
  const exact = sharesOf(total, allocation === "equal" ? limits.map(() => 1) : limits, limits);
  const joined = joinedStrata(exact, limits);
  const counts = rounded(joined.map((own) => sum(own.map((at) => exact[at] as number))));
  const shares = new Map<number, Share>();
  joined.forEach((own, nth) => {
    const [first, last] = [names[own[0] as number] as string, names[own.at(-1) as number] as string];
    const name = own.length === 1 ? first : `${first} to ${last} (${own.length})`;
    const ownSizes = own.map((at) => limits[at] as number);
    const stratum = { name, of: sum(ownSizes), drawn: counts[nth] as number };
    const parts = own.length === 1 ? [stratum.drawn] : systematic(ownSizes, stratum, random);
    own.forEach((at, part) => {
      shares.set(at, { count: parts[part] as number, stratum });
    });
  });
  const several = joined.filter((own) => own.length > 1);
  if (several.length > 0) {
    const what = `${several.flat().length} of ${names.length} strata would have given fewer than ${LEAST} rows`;
    warn(
      "STRATA_JOINED",
      `${what} and were joined to ${several.length}, see the column stratum. Draw ${LEAST * names.length} rows or more, or larger strata, to keep them apart.`,
    );
  }
  return names.map((_name, at) => shares.get(at) as Share);
}

/** A total in proportion to weights, none above its limit. */
function sharesOf(total: number, weights: readonly number[], limits: readonly number[]): readonly number[] {
  const full = new Set<number>();
  for (;;) {
    const left = total - sum([...full].map((at) => limits[at] as number));
    const open = sum(weights.filter((_weight, at) => !full.has(at)));
    const shares = weights.map((weight, at) => (full.has(at) ? (limits[at] as number) : (left * weight) / open));
    const over = shares.flatMap((share, at) => (!full.has(at) && share >= (limits[at] as number) ? [at] : []));
    if (over.length === 0) return shares;
    for (const at of over) full.add(at);
    if (full.size === weights.length) return limits;
  }
}

/** Strata by their positions: those that give too few rows, and are not drawn as a whole, together until they give enough. */
function joinedStrata(exact: readonly number[], limits: readonly number[]): readonly (readonly number[])[] {
  const isSmall = (at: number) => (exact[at] as number) < LEAST && (exact[at] as number) < (limits[at] as number);
  const joined: number[][] = [];
  let open: number[] = [];
  for (const at of exact.keys()) {
    if (!isSmall(at)) joined.push([at]);
    else if (sum([...open, at].map((each) => exact[each] as number)) < LEAST - 1e-9) open.push(at);
    else {
      joined.push([...open, at]);
      open = [];
    }
  }
  if (open.length === 0) return joined;
  const neighbour = joined.findLast((own) => own.length > 1) ?? joined.at(-1);
  if (neighbour === undefined) return [open];
  neighbour.push(...open);
  return joined;
}

/** Whole numbers with the same sum: the largest remainders are rounded up. */
function rounded(exact: readonly number[]): readonly number[] {
  const counts = exact.map((share) => Math.floor(share + 1e-9));
  const order = [...exact.keys()].sort(
    (a, b) => (exact[b] as number) - (counts[b] as number) - (exact[a] as number) + (counts[a] as number) || a - b,
  );
  for (const at of order.slice(0, Math.round(sum(exact)) - sum(counts))) counts[at] = (counts[at] as number) + 1;
  return counts;
}

/** How many rows each part gives if rows are drawn at equal distances from a random start. */
function systematic(parts: readonly number[], { of, drawn }: Stratum, random: () => number): readonly number[] {
  const start = random();
  const ends = parts.map((_part, at) => sum(parts.slice(0, at + 1)));
  const hits = Array.from({ length: drawn }, (_, nth) => ((nth + start) * of) / drawn);
  const byPart = groupBy(hits, (hit) => ends.findIndex((end) => hit < end));
  return parts.map((_part, at) => byPart.get(at)?.length ?? 0);
}

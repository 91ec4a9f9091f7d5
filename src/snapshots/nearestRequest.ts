import leven from "leven";

/** Longer texts are not compared letter by letter. */
const LONGEST = 500;

/**
 * The request that differs least from one: in the fewest parameters, then in the fewest letters. Pages of other searches are
 * far away, pages of the same one near.
 *
 * @example
 * nearestRequest("/bills?query=budgt", ["/bills?query=budget", "/people?last=Budge"]); //=> "/bills?query=budget"
 */
export function nearestRequest(get: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of known) {
    const distance = 10_000 * difference(get, other) + leven(get.slice(0, LONGEST), other.slice(0, LONGEST));
    if (distance >= least) continue;
    least = distance;
    nearest = other;
  }
  return nearest;
}

/** Parameters that are not in both, or not with the same value; another path is worse than any. */
function difference(a: string, b: string): number {
  const [one, other] = [new URL(a, "http://x"), new URL(b, "http://x")];
  const names = new Set([...one.searchParams.keys(), ...other.searchParams.keys()]);
  const differing = [...names].filter((name) => one.searchParams.get(name) !== other.searchParams.get(name));
  return differing.length + (one.pathname === other.pathname ? 0 : 100);
}

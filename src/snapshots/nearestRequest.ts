import leven from "leven";

/** Longer texts are not compared letter by letter. */
const LONGEST = 500;

/** Of more requests that differ in as many parameters the others are not compared letter by letter. */
const MAX_COMPARED = 200;

/**
 * The request that differs least from one: in the fewest parameters, then in the fewest letters. Pages of other searches are
 * far away, pages of the same one near.
 *
 * @example
 * nearestRequest("/bills?query=budgt", ["/bills?query=budget", "/people?last=Budge"]); //=> "/bills?query=budget"
 */
export function nearestRequest(get: string, known: readonly string[]): string | undefined {
  const asked = new URL(get, "http://x");
  let least = Number.POSITIVE_INFINITY;
  let near: string[] = [];
  for (const other of known) {
    const parameters = difference(asked, new URL(other, "http://x"));
    if (parameters > least) continue;
    if (parameters < least) near = [];
    least = parameters;
    if (near.length < MAX_COMPARED) near.push(other);
  }
  const letters = near.map((other) => leven(get.slice(0, LONGEST), other.slice(0, LONGEST)));
  return near[letters.indexOf(Math.min(...letters))];
}

/** Parameters that are not in both, or not with the same value; another path is worse than any. */
function difference(one: URL, other: URL): number {
  const names = new Set([...one.searchParams.keys(), ...other.searchParams.keys()]);
  const differing = [...names].filter((name) => one.searchParams.get(name) !== other.searchParams.get(name));
  return differing.length + (one.pathname === other.pathname ? 0 : 100);
}

import leven from "leven";

/** Characters of a request that are compared. */
const MAX_COMPARED_LENGTH = 500;

/** Maximum number of requests that are compared by edit distance. */
const MAX_CANDIDATES = 200;

/**
 * Finds the most similar request: the fewest different parameters, then the smallest edit distance.
 *
 * @example
 * nearestRequest("/bills?query=budgt", ["/bills?query=budget", "/people?last=Budge"]); //=> "/bills?query=budget"
 */
export function nearestRequest(get: string, known: readonly string[]): string | undefined {
  const wanted = new URL(get, "http://x");
  let fewest = Number.POSITIVE_INFINITY;
  let candidates: string[] = [];
  for (const other of known) {
    const parameters = difference(wanted, new URL(other, "http://x"));
    if (parameters > fewest) continue;
    if (parameters < fewest) candidates = [];
    fewest = parameters;
    if (candidates.length < MAX_CANDIDATES) candidates.push(other);
  }
  const distances = candidates.map((other) =>
    leven(get.slice(0, MAX_COMPARED_LENGTH), other.slice(0, MAX_COMPARED_LENGTH)),
  );
  return candidates[distances.indexOf(Math.min(...distances))];
}

/** The number of parameters with different values. Another path outweighs them all. */
function difference(one: URL, other: URL): number {
  const names = new Set([...one.searchParams.keys(), ...other.searchParams.keys()]);
  const differing = [...names].filter((name) => one.searchParams.get(name) !== other.searchParams.get(name));
  return differing.length + (one.pathname === other.pathname ? 0 : 100);
}

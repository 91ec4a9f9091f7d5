import { checkLegislators, type Legislators } from "./legislators.js";
import { shippedLegislators } from "./shippedLegislators.js";

/** How the provenance names an embedded archive. */
const EMBEDDED = /^embedded archive, seed (-?\d+)$/;

const embedded = new Map<number, Legislators>();

/**
 * The members for rows of a service: those of an embedded archive, otherwise the data in this package.
 *
 * @param source as the provenance names it; undefined if it is not known
 */
export async function legislatorsFor(source = ""): Promise<Legislators> {
  const seed = Number(EMBEDDED.exec(source)?.[1]);
  if (!Number.isSafeInteger(seed)) return shippedLegislators();
  const known = embedded.get(seed);
  if (known !== undefined) return known;
  // The embedded archive is large, and most users of the live service never need it.
  const { embeddedLegislators } = await import("../embedded/index.js");
  const legislators = checkLegislators(embeddedLegislators({ seed }), source);
  embedded.set(seed, legislators);
  return legislators;
}

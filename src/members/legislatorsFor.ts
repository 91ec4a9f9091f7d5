import type { LegislatorRecord } from "./file/legislatorRecord.js";
import { checkLegislators, type Legislators } from "./legislators.js";
import { shippedLegislators } from "./shippedLegislators.js";

/**
 * The members of an archive with a Congress of its own; undefined for any other.
 *
 * @param source as the provenance names it
 */
type MembersProvider = (source: string) => Promise<readonly LegislatorRecord[]> | undefined;

let provider: MembersProvider | undefined;
const provided = new Map<string, Legislators>();

/** Sets who knows the members of archives with a Congress of their own. */
export function provideMembers(given: MembersProvider): void {
  provider = given;
}

/**
 * The members for rows of a service: those that the archive has itself, otherwise the data in this package.
 *
 * @param source as the provenance names it; undefined if it is not known
 */
export async function legislatorsFor(source = ""): Promise<Legislators> {
  const known = provided.get(source);
  if (known !== undefined) return known;
  const records = await provider?.(source);
  if (records === undefined) return shippedLegislators();
  const legislators = checkLegislators(records, source);
  provided.set(source, legislators);
  return legislators;
}

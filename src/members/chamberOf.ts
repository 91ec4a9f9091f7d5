import type { MemberChamber } from "./legislator.js";
import { legislatorsFor } from "./legislators.js";
import { rowSpeaker } from "./rowSpeakers.js";
import { matcherOf } from "./speakerMatcher.js";

/** A member in one chamber. */
export interface SeatedMember {
  readonly name: string;
  readonly chamber: MemberChamber;
}

/**
 * Says who the speaker of some rows is, if id and name are those of one member, who sat in the same chamber on the day of each row.
 *
 * @param source the archive of the rows, as the provenance names it
 */
export async function memberFinder(
  source: string,
): Promise<(rows: Iterable<Readonly<Record<string, unknown>>>) => SeatedMember | undefined> {
  const matcher = matcherOf(await legislatorsFor(source));
  return (rows) => {
    let found: SeatedMember | undefined;
    for (const row of rows) {
      const { outcome, service } = matcher.match(rowSpeaker(row));
      if (outcome !== "id" || service === undefined) return undefined;
      if (found !== undefined && found.chamber !== service.term.chamber) return undefined;
      found ??= { name: service.member.name, chamber: service.term.chamber };
    }
    return found;
  };
}

/** A chamber of Congress. */
export type MemberChamber = "senate" | "house";

/** A member of Congress, past or present. */
export interface Legislator {
  /** The id in the Biographical Directory of Congress, for example "C000127". */
  readonly bioguide: string;
  /** The id in the roll-call data of Voteview; null if the data has none. */
  readonly icpsr: number | null;
  /** The person id of the archive; null if the data has none. */
  readonly personid: number | null;
  /** The full name. */
  readonly name: string;
  /** The parts of the name, and other forms of it. */
  readonly names: LegislatorNames;
  /** In order of their first day. */
  readonly terms: readonly Term[];
}

/** The names of a legislator. */
export interface LegislatorNames {
  /** The first name, or an initial. */
  readonly first: string;
  /** The middle names, or their initials. */
  readonly middle: string | null;
  /** For example "Chuck". */
  readonly nickname: string | null;
  /** For example "Jr.". */
  readonly suffix: string | null;
  /** The family name, the present one first. */
  readonly family: readonly string[];
  /** Full names as others write them. */
  readonly others: readonly string[];
}

/** A term in one chamber. Days are `yyyy-mm-dd`, both inclusive. */
export interface Term {
  /** The chamber that the member sits in. */
  readonly chamber: MemberChamber;
  /** First day. */
  readonly start: string;
  /** Last day. */
  readonly end: string;
  /** Two letters. */
  readonly state: string;
  /** Of a representative: 0 for the whole state; null for senators and where it is not known. */
  readonly district: number | null;
  /** Parties in order of their first day: more than one if the member changed party during the term. */
  readonly parties: readonly PartySpan[];
}

/** The party of a member from one day to another. Days are `yyyy-mm-dd`, both inclusive. */
export interface PartySpan {
  /** First day. */
  readonly start: string;
  /** Last day. */
  readonly end: string;
  /** As the data has it, for example "Democrat"; null if it is not known. */
  readonly party: string | null;
  /** The party that an independent sits with; null for others. */
  readonly caucus: string | null;
}

/** A day of a member in office. */
export interface Service {
  readonly member: Legislator;
  readonly term: Term;
  readonly party: PartySpan;
}

/**
 * The term and party of a member on a day. On a day that belongs to two terms or two parties, the later one counts: a Congress
 * and its successor share January 3, and most speeches of that day come after noon, when the new one begins.
 */
export function serviceOn(member: Legislator, day: string): Service | undefined {
  const term = member.terms.findLast(({ start, end }) => start <= day && day <= end);
  return term && { member, term, party: partyOn(term, day) };
}

/** The party on a day of a term. */
export function partyOn({ parties }: Term, day: string): PartySpan {
  // Where the data leaves a day out, the party of the days before goes on.
  return parties.findLast(({ start }) => start <= day) ?? (parties[0] as PartySpan);
}

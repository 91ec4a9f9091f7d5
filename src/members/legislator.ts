import { byCodeUnit } from "../util/lists.js";
import { isObject } from "../util/objects.js";
import { parseTimestamp } from "../util/period.js";
import { quoted } from "../util/text.js";

/** A chamber of Congress. */
export type MemberChamber = "senate" | "house";

/** A member of Congress. */
export interface Legislator {
  /** The id in the Biographical Directory of Congress: "C000127". */
  readonly bioguide: string;
  /** The id in the roll-call data of Voteview, if known. */
  readonly icpsr: number | null;
  /** The person id of the archive, if known. */
  readonly personid: number | null;
  /** The full name. */
  readonly name: string;
  /** The parts of the name, and other forms of it. */
  readonly names: {
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
  };
  /** In order of their first day. */
  readonly terms: readonly Term[];
}

/** A term in one chamber. Days are `yyyy-mm-dd`, both inclusive. */
export interface Term {
  /** The chamber. */
  readonly chamber: MemberChamber;
  /** First day. */
  readonly start: string;
  /** Last day. */
  readonly end: string;
  /** The member left early, and the last day may be days or weeks late. */
  readonly endApproximate: boolean;
  /** Two letters. */
  readonly state: string;
  /** Of a representative: 0 for the whole state; null for senators and where it is not known. */
  readonly district: number | null;
  /** Parties in order of their first day. */
  readonly parties: ReadonlyArray<{
    readonly start: string;
    readonly end: string;
    /** As the data has it, for example "Democrat"; null if it is not known. */
    readonly party: string | null;
    /** The party that an independent sits with; null for others. */
    readonly caucus: string | null;
  }>;
}

type PartySpan = Term["parties"][number];

/** A member in office on a day. */
export interface Officeholder {
  readonly member: Legislator;
  readonly term: Term;
  readonly party: PartySpan;
}

/**
 * The term and party of a member on a day. On a day that belongs to two terms or two parties, the later one counts: a Congress
 * and its successor share January 3, and most speeches of that day come after noon, when the new one begins.
 */
export function officeholderOn(member: Legislator, day: string): Officeholder | undefined {
  const term = member.terms.findLast(({ start, end }) => start <= day && day <= end);
  return term && { member, term, party: partyOn(term, day) };
}

export function partyOn({ parties }: Term, day: string): PartySpan {
  // On a day that is missing in the data, the earlier party counts.
  return parties.findLast(({ start }) => start <= day) ?? (parties[0] as PartySpan);
}

/**
 * A member in the layout of congress-legislators, with the fields that are read.
 *
 * @example
 * const record: LegislatorRecord = {
 *   id: { bioguide: "C000127", cspan: 26137 },
 *   name: { first: "Maria", last: "Cantwell" },
 *   terms: [{ type: "sen", start: "2025-01-03", end: "2031-01-03", state: "WA", party: "Democrat" }],
 * };
 */
export interface LegislatorRecord {
  /** `cspan` is the person id of the archive. */
  readonly id: {
    readonly bioguide: string;
    readonly icpsr?: number | null | undefined;
    readonly cspan?: number | null | undefined;
    readonly wikipedia?: string | null | undefined;
    readonly ballotpedia?: string | null | undefined;
  };
  /** The parts of the name. */
  readonly name: {
    readonly first: string;
    readonly last: string;
    readonly middle?: string | null | undefined;
    readonly nickname?: string | null | undefined;
    readonly suffix?: string | null | undefined;
    readonly official_full?: string | null | undefined;
  };
  /** Former names. */
  readonly other_names?: ReadonlyArray<{ readonly last?: string | null | undefined }> | null | undefined;
  /** One per election, appointment or Congress. */
  readonly terms: ReadonlyArray<{
    readonly type: "sen" | "rep";
    /** The first day, `yyyy-mm-dd`. */
    readonly start: string;
    /** The last day. */
    readonly end: string;
    /** The last day may be days or weeks late. Only the data in this package has it. */
    readonly end_approximate?: boolean | null | undefined;
    /** Two letters. */
    readonly state: string;
    /** Of a representative: 0 for the whole state. */
    readonly district?: number | null | undefined;
    /** For example "Democrat". */
    readonly party?: string | null | undefined;
    /** The party that an independent sits with. */
    readonly caucus?: string | null | undefined;
    /** Only if the party changed during the term. */
    readonly party_affiliations?:
      | ReadonlyArray<Pick<LegislatorRecord["terms"][number], "start" | "end" | "party" | "caucus">>
      | null
      | undefined;
  }>;
}

/** Creates the error for a value: `terms[0].start of "C000127" is missing`. */
type Fail = (what: string) => Error;

/**
 * Reads members in the layout of congress-legislators (see `LegislatorRecord`).
 *
 * @throws what `fail` creates for the first value that does not fit the layout
 */
export function readRecords(records: unknown, fail: Fail): Legislator[] {
  if (!Array.isArray(records)) throw fail("the list is not a list of members");
  if (records.length === 0) throw fail("the list contains no members");
  return records.map((record: { id?: { bioguide?: unknown } } | null, at) => {
    const bioguide = record?.id?.bioguide;
    const member = typeof bioguide === "string" ? quoted(bioguide) : `member ${at + 1}`;
    check(record, LAYOUT, "", (path, what) => fail(`${path === "" ? "" : `${path} of `}${member} ${what}`));
    return legislatorOf(record as LegislatorRecord);
  });
}

/** The type of a value, with "?" if it is optional; for a list, the type of its entries. */
type Layout = string | readonly [Layout, isOptional?: "?"] | Readonly<{ [name: string]: Layout }>;

const PARTY: Layout = { start: "day", end: "day", party: "text?", caucus: "text?" };
const LAYOUT: Layout = {
  id: { bioguide: "text", icpsr: "number?", cspan: "number?", wikipedia: "text?", ballotpedia: "text?" },
  name: { first: "text", last: "text", middle: "text?", nickname: "text?", suffix: "text?", official_full: "text?" },
  other_names: [{ last: "text?" }, "?"],
  terms: [{ type: "chamber", ...PARTY, state: "text", district: "number?", party_affiliations: [PARTY, "?"] }],
};

/** Longer texts are not names, and take long to compare. */
const MAX_TEXT_LENGTH = 300;

const CHECKS: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, fault: string]>> = {
  text: [
    (value) => typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT_LENGTH,
    "is not a text",
  ],
  number: [Number.isSafeInteger, "is not a whole number"],
  day: [
    (value) => typeof value === "string" && value.length === 10 && parseTimestamp(value) !== undefined,
    "is not a day such as 2025-01-03",
  ],
  chamber: [(value) => value === "sen" || value === "rep", 'is neither "sen" nor "rep"'],
};

function check(value: unknown, layout: Layout, path: string, fail: (path: string, what: string) => Error): void {
  const isList = Array.isArray(layout);
  const isOptional = typeof layout === "string" ? layout.endsWith("?") : isList && layout[1] === "?";
  if (value === undefined || value === null || (isOptional && value === "")) {
    if (isOptional) return;
    throw fail(path, "is missing");
  }
  if (typeof layout === "string") {
    const [isValid, fault] = CHECKS[layout.replace("?", "")] as (typeof CHECKS)[string];
    if (!isValid(value)) throw fail(path, fault);
  } else if (isList) {
    if (!Array.isArray(value) || value.length === 0) throw fail(path, "is not a list with entries");
    const [entry] = layout as readonly [Layout];
    for (const [at, each] of value.entries()) check(each, entry, `${path}[${at}]`, fail);
  } else {
    if (!isObject(value)) throw fail(path, "is not a mapping");
    for (const [name, each] of Object.entries(layout as Readonly<Record<string, Layout>>))
      check(value[name], each, path === "" ? name : `${path}.${name}`, fail);
  }
}

function legislatorOf({ id, name, other_names, terms }: LegislatorRecord): Legislator {
  const { first, last } = name;
  return {
    bioguide: id.bioguide,
    icpsr: id.icpsr ?? null,
    personid: id.cspan ?? null,
    name: name.official_full || `${first} ${last}`,
    names: {
      first,
      middle: name.middle || null,
      nickname: name.nickname || null,
      suffix: name.suffix || null,
      family: [last, ...(other_names ?? []).map((other) => other.last ?? "")].filter(Boolean),
      // "John Kennedy (Louisiana politician)"
      others: [name.official_full, id.wikipedia, id.ballotpedia]
        .map((full) => (full ?? "").replace(/\(.*/s, "").trim())
        .filter(Boolean),
    },
    terms: terms.map(termOf).sort((a, b) => byCodeUnit(a.start, b.start) || byCodeUnit(a.end, b.end)),
  };
}

function termOf(term: LegislatorRecord["terms"][number]): Term {
  const { type, start, end, state, district = null, party_affiliations } = term;
  const parties = [...(party_affiliations ?? [term])].map(({ party, caucus, ...span }) => ({
    start: span.start,
    end: span.end,
    party: party || null,
    caucus: caucus || null,
  }));
  return {
    chamber: type === "sen" ? "senate" : "house",
    start,
    end,
    endApproximate: term.end_approximate === true,
    state,
    // The historical file has -1 for an unknown district.
    district: type === "sen" || district === null || district < 0 ? null : district,
    parties: parties.sort((a, b) => byCodeUnit(a.start, b.start)),
  };
}

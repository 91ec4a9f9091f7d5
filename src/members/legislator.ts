import { parseTimestamp } from "../frames/typeFlags.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";

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
  /** The chamber that the member sits in. */
  readonly chamber: MemberChamber;
  /** First day. */
  readonly start: string;
  /** Last day. */
  readonly end: string;
  /** The member left before the term was over, and the last day may be days or weeks late. */
  readonly endApproximate: boolean;
  /** Two letters. */
  readonly state: string;
  /** Of a representative: 0 for the whole state; null for senators and where it is not known. */
  readonly district: number | null;
  /** Parties in order of their first day: more than one if the member changed party during the term. */
  readonly parties: ReadonlyArray<{
    readonly start: string;
    readonly end: string;
    /** As the data has it, for example "Democrat"; null if it is not known. */
    readonly party: string | null;
    /** The party that an independent sits with; null for others. */
    readonly caucus: string | null;
  }>;
}

/** The party of a member from one day to another. */
export type PartySpan = Term["parties"][number];

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

export function partyOn({ parties }: Term, day: string): PartySpan {
  // On a day that the data leaves out, the party of the days before counts.
  return parties.findLast(({ start }) => start <= day) ?? (parties[0] as PartySpan);
}

/**
 * A member in the layout of the project congress-legislators, with the fields that are read here. Its files have many more.
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
export type Fail = (what: string) => Error;

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
    return readRecord(
      new Value(record, "", (path, what) => fail(`${path === "" ? "" : `${path} of `}${member} ${what}`)),
    );
  });
}

function readRecord(record: Value): Legislator {
  const id = record.get("id");
  const names = readNames(record);
  const terms = record.get("terms").list().map(readTerm);
  return {
    bioguide: id.get("bioguide").text(),
    icpsr: id.get("icpsr").optionalInteger(),
    personid: id.get("cspan").optionalInteger(),
    name: record.get("name").get("official_full").optionalText() ?? `${names.first} ${names.family[0]}`,
    names,
    terms: terms.sort((a, b) => byCodeUnit(a.start, b.start) || byCodeUnit(a.end, b.end)),
  };
}

function readNames(record: Value): Legislator["names"] {
  const name = record.get("name");
  const id = record.get("id");
  const former = record.get("other_names").optionalList();
  return {
    first: name.get("first").text(),
    middle: name.get("middle").optionalText(),
    nickname: name.get("nickname").optionalText(),
    suffix: name.get("suffix").optionalText(),
    family: [name.get("last").text(), ...former.map((each) => each.get("last").optionalText())].filter(isText),
    // "John Kennedy (Louisiana politician)"
    others: [name.get("official_full"), id.get("wikipedia"), id.get("ballotpedia")]
      .map((value) => value.optionalText()?.replace(/\(.*/s, "").trim())
      .filter(isText),
  };
}

function readTerm(term: Value): Term {
  const type = term.get("type").text();
  if (type !== "sen" && type !== "rep") throw term.get("type").error('is neither "sen" nor "rep"');
  const [start, end] = [term.get("start").day(), term.get("end").day()];
  const own: PartySpan = { start, end, ...readParty(term) };
  const parties = term
    .get("party_affiliations")
    .optionalList()
    .map((span) => ({ start: span.get("start").day(), end: span.get("end").day(), ...readParty(span) }))
    .sort((a, b) => byCodeUnit(a.start, b.start));
  const district = type === "sen" ? null : term.get("district").optionalInteger();
  return {
    chamber: type === "sen" ? "senate" : "house",
    start,
    end,
    endApproximate: term.get("end_approximate").value === true,
    state: term.get("state").text(),
    // The historical file writes -1 for a district that is not known.
    district: district !== null && district < 0 ? null : district,
    parties: parties.length > 0 ? parties : [own],
  };
}

function readParty(span: Value): Pick<PartySpan, "party" | "caucus"> {
  return { party: span.get("party").optionalText(), caucus: span.get("caucus").optionalText() };
}

/** A value with its place, for the error. */
class Value {
  constructor(
    readonly value: unknown,
    readonly path: string,
    readonly fail: (path: string, what: string) => Error,
  ) {}

  get(name: string): Value {
    if (!isObject(this.value)) throw this.error("is not a mapping");
    const path = this.path === "" ? name : `${this.path}.${name}`;
    return new Value(Object.hasOwn(this.value, name) ? this.value[name] : undefined, path, this.fail);
  }

  list(): Value[] {
    if (!Array.isArray(this.value) || this.value.length === 0) throw this.error("is not a list with entries");
    return this.value.map((each: unknown, at) => new Value(each, `${this.path}[${at}]`, this.fail));
  }

  optionalList(): Value[] {
    return this.isMissing ? [] : this.list();
  }

  text(): string {
    if (typeof this.value === "string" && this.value.trim() !== "" && this.value.length <= MAX_TEXT) return this.value;
    throw this.error("is not a text");
  }

  optionalText(): string | null {
    return this.isMissing || this.value === "" ? null : this.text();
  }

  optionalInteger(): number | null {
    if (this.isMissing) return null;
    const number = typeof this.value === "string" && /^\d{1,15}$/.test(this.value) ? Number(this.value) : this.value;
    if (Number.isSafeInteger(number)) return number as number;
    throw this.error("is not a whole number");
  }

  day(): string {
    const { value } = this;
    if (typeof value === "string" && value.length === 10 && parseTimestamp(value) !== undefined) return value;
    throw this.error("is not a day such as 2025-01-03");
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  error(what: string): Error {
    return this.fail(this.path, this.isMissing ? "is missing" : what);
  }
}

/** Longer texts are not names, and would take time to compare. */
const MAX_TEXT = 300;

function isText(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== "";
}

import { byCodeUnit } from "../util/byCodeUnit.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";
import type { Legislator, PartySpan, Term } from "./legislator.js";

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
    if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) return value;
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

import { checkCongress, checkedOptions, oneOf } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { ENGINES, type Engine, type FrameTypes, inEngine } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { type ResultColumn, resultFrame } from "../frames/resultFrame.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { type CongressDates, congressDates, congressOn, ordinal } from "../util/congress.js";
import type { DecidingOption, OrDefault } from "../util/decidingOption.js";
import { type MemberChamber, partyOn, type Service, type Term } from "./legislator.js";
import { checkLegislators, type Legislators, type LegislatorsOption, shippedLegislators } from "./legislators.js";

/** Options of {@link members}. */
export interface MembersOptions {
  /** The number of the Congress: 119 or "119th". Default: that of the date of the data, or of today. */
  congress?: number | string | undefined;
  /** `"senate"`, `"house"` or `"any"` (default). */
  chamber?: MemberChamber | "any" | undefined;
  /** Members of Congress, as in `withMembers`. Default: the data in this package, which has everyone since 27 September 2012. */
  legislators?: LegislatorsOption | undefined;
  /** `"polars"` (default) or `"danfo"`. */
  engine?: Engine | undefined;
}

/**
 * The members of a Congress: one row per member and term, so that somebody who moved from the House to the Senate, or left and came
 * back, has two. The party is that of the last day of the term in this Congress. In order of chamber, state, district and name.
 *
 * The data in this package has everyone who sat on 27 September 2012 or later: the 113th to 119th Congress are complete, and of the
 * 112th those are missing who left before that day. For earlier Congresses a warning (`FEW_MEMBERS`) says how many members are known:
 * load the historical file with `loadLegislators` for all. `end_approximate` marks terms that ended early, on a day that may be late.
 *
 * @returns columns `personid` (the id of the archive, where it is known), `name`, and those that `withMembers` adds, without `inferred`
 * @throws ValidationError for an unknown Congress or chamber
 * @example
 * const senators = await members({ congress: 119, chamber: "senate" });
 * senators.height; //=> 100
 */
export async function members<E extends Engine | undefined = undefined>(
  given?: MembersOptions & DecidingOption<Pick<MembersOptions, "engine">, E>,
): Promise<FrameTypes[OrDefault<E, "polars">]> {
  const known = ["congress", "chamber", "legislators", "engine"];
  const options = checkedOptions<MembersOptions>(given, known, "option of members");
  const legislators = options.legislators === undefined ? shippedLegislators() : checkLegislators(options.legislators);
  const congress = checkCongress(
    options.congress ?? congressOn(legislators.source.date ?? new Date().toISOString().slice(0, 10)),
  );
  const chamber = options.chamber === undefined ? "any" : oneOf("chamber", options.chamber, CHAMBERS);
  const engine = options.engine === undefined ? "polars" : oneOf("engine", options.engine, ENGINES);
  warnOfCoverage(legislators, congress);
  const services = servicesIn(legislators, congress).filter(
    ({ term }) => chamber === "any" || term.chamber === chamber,
  );
  const frame = resultFrame([
    { name: "personid", dtype: pl.Int64, values: services.map(({ member }) => member.personid) },
    { name: "name", dtype: pl.Utf8, values: services.map(({ member }) => member.name) },
    ...memberColumns(services),
  ]);
  return inEngine(frame, engine) as FrameTypes[OrDefault<E, "polars">];
}

const CHAMBERS = ["senate", "house", "any"] as const;

/** Every term in a Congress, with the party of its last day there. */
function servicesIn({ members: all }: Legislators, congress: number): Service[] {
  const dates = congressDates(congress);
  const found: Service[] = [];
  for (const member of all) {
    for (const term of member.terms) {
      if (!isWithin(term, dates)) continue;
      const last = term.end < dates.maxdate ? term.end : dates.maxdate;
      found.push({ member, term, party: partyOn(term, last) });
    }
  }
  return found.sort(
    (a, b) =>
      byCodeUnit(b.term.chamber, a.term.chamber) ||
      byCodeUnit(a.term.state, b.term.state) ||
      (a.term.district ?? -1) - (b.term.district ?? -1) ||
      byCodeUnit(a.member.names.family[0] ?? "", b.member.names.family[0] ?? "") ||
      byCodeUnit(a.member.bioguide, b.member.bioguide) ||
      byCodeUnit(a.term.start, b.term.start),
  );
}

/** What data about members knows of a Congress. */
export interface CongressCoverage {
  /** Members of the data who sat in the Congress. */
  readonly members: number;
  /** Whether everyone is known who sat in the Congress; null if the data does not say, as for files. */
  readonly complete: boolean | null;
}

/** Members of a Congress since 1959, successors not counted: 100 senators, 435 representatives and up to six delegates. */
const ABOUT = 540;

/** How to get the missing members. */
export const HISTORICAL =
  'Load legislators-historical.json of the project congress-legislators with loadLegislators(["legislators-historical.json", "legislators-current.json"]), and give it as legislators.';

/** Whether a term is in a Congress. A Congress ends on the first day of the next one. */
function isWithin({ start, end }: Term, { mindate, maxdate }: CongressDates): boolean {
  return start <= maxdate && end > mindate;
}

/** What the data knows of a Congress. */
export function congressCoverage({ source, members }: Legislators, congress: number): CongressCoverage {
  const { completeSince, sittingOnly } = source;
  const dates = congressDates(congress);
  const known = members.filter(({ terms }) => terms.some((term) => isWithin(term, dates))).length;
  if (completeSince === null) return { members: known, complete: sittingOnly ? false : null };
  return { members: known, complete: completeSince <= dates.mindate };
}

/** Warns about a Congress that ended before the data is complete. */
function warnOfCoverage(legislators: Legislators, congress: number): void {
  const { completeSince, source } = legislators.source;
  if (completeSince === null || congressDates(congress).maxdate >= completeSince) return;
  const { members } = congressCoverage(legislators, congress);
  warn(
    "FEW_MEMBERS",
    `members knows ${members} of about ${ABOUT} members of the ${ordinal(congress)} Congress: ${source} has those who sat on ${completeSince} or later. ${HISTORICAL}`,
  );
}

/** The columns that `withMembers` adds, in order: their dtypes and values. */
const COLUMNS: Readonly<Record<string, readonly [dtype: ResultColumn["dtype"], value: (service: Service) => unknown]>> =
  {
    bioguide: [pl.Utf8, ({ member }) => member.bioguide],
    icpsr: [pl.Int64, ({ member }) => member.icpsr],
    party: [pl.Utf8, ({ party }) => party.party],
    caucus: [pl.Utf8, ({ party }) => party.caucus ?? party.party],
    state: [pl.Utf8, ({ term }) => term.state],
    district: [pl.Int64, ({ term }) => term.district],
    chamber: [pl.Utf8, ({ term }) => term.chamber],
    term_start: [pl.Date, ({ term }) => term.start],
    term_end: [pl.Date, ({ term }) => term.end],
    end_approximate: [pl.Bool, ({ term }) => term.endApproximate],
  };

/** The names of the columns that `withMembers` adds. */
export const MEMBER_COLUMNS: readonly string[] = [...Object.keys(COLUMNS), "inferred"];

/** The columns of members in office, one row each, without `inferred`; null for nobody. */
function memberColumns(services: readonly (Service | undefined)[]): ResultColumn[] {
  return Object.entries(COLUMNS).map(([name, [dtype, value]]) => {
    const values = services.map((service) => (service === undefined ? null : value(service)));
    return { name, dtype, values };
  });
}

/**
 * The columns that `withMembers` adds.
 *
 * @param services who speaks in each row; undefined for somebody who is no member
 * @param inferred whether the member of each row was found by name
 */
export function joinedMembers(services: readonly (Service | undefined)[], inferred: readonly boolean[]): PolarsFrame {
  // There are few members: each is converted once, and rows point to them. Entry 0 is nobody.
  const entries = new Map<object | undefined, number>([[undefined, 0]]);
  const distinct: (Service | undefined)[] = [undefined];
  const rows = services.map((service) => {
    let entry = entries.get(service?.party);
    if (entry === undefined) {
      entry = distinct.push(service) - 1;
      entries.set(service?.party, entry);
    }
    return entry;
  });
  const columns = resultFrame(memberColumns(distinct))
    .getColumns()
    .map((column) => column.gather(rows).rename(column.name));
  const known = services.map((service, row) => (service === undefined ? null : (inferred[row] as boolean)));
  return pl.DataFrame([...columns, pl.Series("inferred", known, pl.Bool)]);
}

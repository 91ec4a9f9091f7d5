import { checkCongress, checkedOptions, oneOf } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { type ResultColumn, resultFrame } from "../frames/resultFrame.js";
import { congressDates, congressOn, ordinal } from "../util/congress.js";
import { type MemberChamber, type Officeholder, partyOn } from "./legislator.js";
import {
  checkLegislators,
  HISTORICAL,
  type Legislators,
  type LegislatorsOption,
  shippedLegislators,
} from "./legislators.js";

/** Options of {@link members}. */
export interface MembersOptions {
  /** 119 or "119th". Default: that of the date of the data, or of today. */
  congress?: number | string | undefined;
  /** The chamber. Default: `"any"`. */
  chamber?: MemberChamber | "any" | undefined;
  /** Members of Congress, as in `withMembers`. Default: the data in this package. */
  legislators?: LegislatorsOption | undefined;
}

/**
 * Returns the members of a Congress: one row per member and term, by chamber, state, district and name. The party is that of the last day
 * of the term in this Congress.
 *
 * The data in this package has everyone who sat on 27 September 2012 or later: the 113th to 119th Congress are complete. A warning
 * (`FEW_MEMBERS`) names earlier ones (use `loadLegislators`) and those that begin after the date of the data.
 *
 * @returns the columns `personid`, `name`, and those of `withMembers`, without `inferred`
 * @example
 * const senators = await members({ congress: 119, chamber: "senate" });
 * senators.height; //=> 100
 */
export async function members(options?: MembersOptions): Promise<PolarsFrame> {
  const checked = checkedOptions<MembersOptions>(options, ["congress", "chamber", "legislators"], "option of members");
  const legislators = checked.legislators === undefined ? shippedLegislators() : checkLegislators(checked.legislators);
  const congress = checkCongress(
    checked.congress ?? congressOn(legislators.source.date ?? new Date().toISOString().slice(0, 10)),
  );
  const chamber = checked.chamber === undefined ? "any" : oneOf("chamber", checked.chamber, CHAMBERS);
  warnOfCoverage(legislators, congress);
  const officeholders = officeholdersIn(legislators, congress).filter(
    ({ term }) => chamber === "any" || term.chamber === chamber,
  );
  const frame = resultFrame([
    { name: "personid", dtype: pl.Int64, values: officeholders.map(({ member }) => member.personid) },
    { name: "name", dtype: pl.Utf8, values: officeholders.map(({ member }) => member.name) },
    ...memberColumns(officeholders),
  ]);
  const sorted = frame.sort({ by: ["state", "district", "name", "term_start"], maintainOrder: true });
  return sorted.sort({ by: "chamber", descending: true, maintainOrder: true });
}

const CHAMBERS = ["senate", "house", "any"] as const;

/** Every term in a Congress, with the party of its last day in it. */
function officeholdersIn({ members: all }: Legislators, congress: number): Officeholder[] {
  const { mindate, maxdate } = congressDates(congress);
  // A Congress ends on the first day of the next one.
  return all.flatMap((member) =>
    member.terms
      .filter(({ start, end }) => start <= maxdate && end > mindate)
      .map((term) => ({ member, term, party: partyOn(term, term.end < maxdate ? term.end : maxdate) })),
  );
}

/** Warns about a Congress that ended before the data is complete, or begins after its date. */
function warnOfCoverage({ source: { source, completeSince, date } }: Legislators, congress: number): void {
  if (date !== null && congressDates(congress).mindate > date)
    warn(
      "FEW_MEMBERS",
      `the ${ordinal(congress)} Congress begins after ${source} of ${date}: only terms that go on are known.`,
    );
  if (completeSince === null || congressDates(congress).maxdate >= completeSince) return;
  const missing = `${source} has those who sat on ${completeSince} or later`;
  warn("FEW_MEMBERS", `members are missing in the ${ordinal(congress)} Congress: ${missing}. ${HISTORICAL}`);
}

/** The columns that `withMembers` adds, in order: their dtypes and values. */
const COLUMNS: Readonly<Record<string, readonly [ResultColumn["dtype"], (officeholder: Officeholder) => unknown]>> = {
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

/** The columns of members in office, one row each, without `inferred`. */
function memberColumns(officeholders: readonly (Officeholder | undefined)[]): ResultColumn[] {
  return Object.entries(COLUMNS).map(([name, [dtype, value]]) => {
    const values = officeholders.map((officeholder) => (officeholder === undefined ? null : value(officeholder)));
    return { name, dtype, values };
  });
}

/**
 * The columns that `withMembers` adds.
 *
 * @param officeholders the member who speaks in each row; undefined for other speakers
 * @param inferred whether the member of each row was found by name
 */
export function memberFrame(
  officeholders: readonly (Officeholder | undefined)[],
  inferred: readonly boolean[],
): PolarsFrame {
  // Converts each member once, and rows refer to them. The first entry is for rows without a member.
  const distinctOfficeholders = new Map<object | undefined, Officeholder | undefined>([[undefined, undefined]]);
  for (const officeholder of officeholders) distinctOfficeholders.set(officeholder?.party, officeholder);
  const entries = new Map([...distinctOfficeholders.keys()].map((party, entry) => [party, entry]));
  const rows = officeholders.map((officeholder) => entries.get(officeholder?.party) as number);
  const columns = resultFrame(memberColumns([...distinctOfficeholders.values()])).getColumns();
  const values = officeholders.map((each, row) => (each === undefined ? null : (inferred[row] as boolean)));
  return pl.DataFrame([
    ...columns.map((column) => column.gather(rows).rename(column.name)),
    pl.Series("inferred", values, pl.Bool),
  ]);
}

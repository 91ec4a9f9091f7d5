import { type PolarsFrame, pl } from "../frames/polars.js";
import { type ResultColumn, resultFrame } from "../frames/resultFrame.js";
import type { Service } from "./legislator.js";

/** The columns that `withMembers` adds, in order, with their dtypes. */
const DTYPES = {
  bioguide: pl.Utf8,
  icpsr: pl.Int64,
  party: pl.Utf8,
  caucus: pl.Utf8,
  state: pl.Utf8,
  district: pl.Int64,
  chamber: pl.Utf8,
  term_start: pl.Date,
  term_end: pl.Date,
  end_approximate: pl.Bool,
} as const;

function memberValues({ member, term, party }: Service): Record<keyof typeof DTYPES, unknown> {
  return {
    bioguide: member.bioguide,
    icpsr: member.icpsr,
    party: party.party,
    caucus: party.caucus ?? party.party,
    state: term.state,
    district: term.district,
    chamber: term.chamber,
    term_start: term.start,
    term_end: term.end,
    end_approximate: term.endApproximate,
  };
}

/** The names of the columns that `withMembers` adds. */
export const MEMBER_COLUMNS: readonly string[] = [...Object.keys(DTYPES), "inferred"];

/** The columns of members in office, one row each, without `inferred`; null for nobody. */
export function memberColumns(services: readonly (Service | undefined)[]): ResultColumn[] {
  const values = services.map((service) => service && memberValues(service));
  return Object.entries(DTYPES).map(([name, dtype]) => ({
    name,
    dtype,
    values: values.map((value) => value?.[name as keyof typeof DTYPES] ?? null),
  }));
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

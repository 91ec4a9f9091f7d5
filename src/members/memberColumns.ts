import { type PolarsFrame, pl } from "../frames/polars.js";
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
} as const;

/** The value of each column for a day of a member. */
export function memberValues({ member, term, party }: Service): Record<keyof typeof DTYPES, string | number | null> {
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
  };
}

/** The names of the columns that `withMembers` adds. */
export const MEMBER_COLUMNS: readonly string[] = [...Object.keys(DTYPES), "inferred"];

/** Collects the columns of rows. Rows of the same member, term and party share one entry. */
export class MemberColumns {
  /** By term and first day of the party; there are few. */
  readonly #entries = new Map<object, number>();
  readonly #services: Service[] = [];
  readonly #rows: number[] = [];
  readonly #inferred: (boolean | null)[] = [];

  /** Adds a row; null for a speaker who is no member. */
  add(service: Service | undefined, inferred: boolean): void {
    this.#inferred.push(service === undefined ? null : inferred);
    // The last entry, without values, is for everyone who is no member.
    this.#rows.push(service === undefined ? -1 : this.#entryOf(service));
  }

  #entryOf(service: Service): number {
    const known = this.#entries.get(service.party);
    if (known !== undefined) return known;
    this.#entries.set(service.party, this.#services.length);
    return this.#services.push(service) - 1;
  }

  /** The columns of all rows. */
  frame(): PolarsFrame {
    const values = this.#services.map(memberValues);
    const none = values.length;
    const rows = this.#rows.map((row) => (row < 0 ? none : row));
    const columns = Object.entries(DTYPES).map(([name, dtype]) => {
      const entries = [...values.map((value) => value[name as keyof typeof DTYPES]), null];
      return columnOf(name, entries, dtype).gather(rows).rename(name);
    });
    return pl.DataFrame([...columns, pl.Series("inferred", this.#inferred, pl.Bool)]);
  }
}

/** A column of the given values; dates are `yyyy-mm-dd`. */
export function columnOf(
  name: string,
  values: readonly (string | number | null)[],
  dtype: (typeof DTYPES)[keyof typeof DTYPES],
): pl.Series {
  if (dtype === pl.Date)
    return pl
      .Series(name, [...values], pl.Utf8)
      .str.strptime(pl.Date, "%Y-%m-%d")
      .rename(name);
  if (dtype === pl.Int64)
    return pl
      .Series(name, [...values], pl.Float64)
      .cast(pl.Int64)
      .rename(name);
  return pl.Series(name, [...values], pl.Utf8);
}

/** A frame with one row per entry, and all of its columns. */
export function memberFrame(services: readonly Service[]): pl.Series[] {
  const values = services.map(memberValues);
  return Object.entries(DTYPES).map(([name, dtype]) =>
    columnOf(
      name,
      values.map((value) => value[name as keyof typeof DTYPES]),
      dtype,
    ),
  );
}

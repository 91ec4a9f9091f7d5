import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";
import type { Definition } from "../definition/definition.js";
import type { Unit } from "../definition/units.js";

/** What is known of a unit that was merged: a row of the table of searches. */
export interface UnitRecord {
  readonly rows: number;
  readonly verdict: string;
  readonly reason: string | null;
  /** HTTP requests for its rows, retries included. */
  readonly requests: number;
  /** The day of the last response, yyyy-mm-dd. */
  readonly retrieved: string;
}

/** The records by the name of the unit. */
export type UnitRecords = Map<string, UnitRecord>;

/** Reads the records from the table of searches. */
export function readRecords(searches: PolarsFrame | undefined): UnitRecords {
  const records: UnitRecords = new Map();
  for (const row of searches === undefined ? [] : toRecords(searches)) {
    const { search, window, rows, verdict, reason, requests, retrieved } = row;
    if (!(retrieved instanceof Date)) continue;
    records.set(`${search}-${window}`, {
      rows: Number(rows),
      verdict: String(verdict),
      reason: typeof reason === "string" ? reason : null,
      requests: Number(requests),
      retrieved: retrieved.toISOString().slice(0, 10),
    });
  }
  return records;
}

/**
 * The table of searches: one row per unit, in their order. Those that were not fetched have nulls.
 */
export function searchesTable(
  { searches }: Pick<Definition, "searches">,
  units: readonly Unit[],
  records: UnitRecords,
): PolarsFrame {
  const found = units.map((unit) => records.get(unit.name));
  const labels = [...new Set(searches.flatMap((search) => Object.keys(search.labels)))];
  const text = (name: string, value: (unit: Unit) => string | undefined) =>
    pl.Series(
      name,
      units.map((unit) => value(unit) ?? null),
      pl.Utf8,
    );
  const day = (name: string, days: ReadonlyArray<string | undefined>) =>
    pl
      .Series(
        name,
        days.map((one) => (one === undefined ? null : Date.parse(one) / 86_400_000)),
        pl.Int32,
      )
      .cast(pl.Date)
      .rename(name);
  const number = (name: "rows" | "requests") =>
    pl.Series(
      name,
      found.map((one) => one?.[name] ?? null),
      pl.Int64,
    );
  return pl.DataFrame([
    text("search", ({ search }) => search.id),
    text("window", ({ window }) => window),
    ...labels.map((label) => text(label, ({ search }) => search.labels[label])),
    text("query", ({ search }) => search.parameters.query),
    text("parameters", ({ search }) => JSON.stringify(search.parameters)),
    day(
      "mindate",
      units.map(({ mindate }) => mindate),
    ),
    day(
      "maxdate",
      units.map(({ maxdate }) => maxdate),
    ),
    number("rows"),
    pl.Series(
      "verdict",
      found.map((one) => one?.verdict ?? null),
      pl.Utf8,
    ),
    pl.Series(
      "reason",
      found.map((one) => one?.reason ?? null),
      pl.Utf8,
    ),
    number("requests"),
    day(
      "retrieved",
      found.map((one) => one?.retrieved),
    ),
  ]);
}

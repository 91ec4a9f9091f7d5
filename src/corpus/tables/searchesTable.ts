import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { Definition } from "../definition/definition.js";
import { type Window, windowsBySearch } from "../definition/windows.js";
import type { Landing } from "../raw/landing.js";
import { hits } from "./corpusTables.js";

/** What is known of a window that has landed: a row of the table of searches. */
interface WindowRecord {
  readonly rows: number;
  readonly verdict: string;
  /** Why the verdict is not more. */
  readonly reason: string | null;
  /** Requests for its rows, without retries. */
  readonly requests: number;
  /** The day of the last response, yyyy-mm-dd. */
  readonly retrieved: string;
}

/** The last landing of each window, by its key. Of a search without windows, a refresh may have asked for the last days only. */
export function lastLandings(windows: readonly Window[], landings: readonly Landing[]): Map<string, Landing> {
  const last = new Map<string, Landing>();
  for (const landing of landings)
    last.set(landing.window, landing).set(`${landing.search} ${landing.name} ${landing.maxdate}`, landing);
  return new Map(
    windows.flatMap(({ key, search, name, maxdate = null }) => {
      const whole = last.get(key);
      const landing = name === "all" && whole !== undefined ? last.get(`${search.id} all ${maxdate}`) : whole;
      return landing === undefined ? [] : [[key, landing]];
    }),
  );
}

const LIVE_HITS = pl.col("vanished").isNull();
const COUNT = pl.len().alias("count");

/** The hits of each search that have not vanished. */
function liveHits(dir: string): ReadonlyMap<string, number> {
  const counts = hits(dir).filter(LIVE_HITS).groupBy("search").agg(COUNT).collectSync() as PolarsFrame;
  return new Map(counts.rows() as Array<[string, number]>);
}

/** The table of searches: one row per window, in the order of the searches. Those that were not fetched have nulls. */
export function searchesTable(
  dir: string,
  definition: Definition,
  unordered: readonly Window[],
  landings: readonly Landing[],
): PolarsFrame {
  const { searches } = definition;
  const windows = windowsBySearch(definition, unordered);
  const records = new Map<string, WindowRecord>();
  let live: ReadonlyMap<string, number> | undefined;
  for (const [key, { window, search, rows, reason, requests, last }] of lastLandings(windows, landings)) {
    const record = { verdict: "complete", reason, requests, retrieved: last.slice(0, 10) };
    if (window !== key) live ??= liveHits(dir);
    records.set(key, { ...record, rows: window === key ? rows : (live?.get(search) ?? 0) });
  }
  const found = windows.map(({ key }) => records.get(key));
  const labels = [...new Set(searches.flatMap((search) => Object.keys(search.labels)))];
  const text = (name: string, value: (window: Window) => string | undefined) =>
    pl.Series(
      name,
      windows.map((window) => value(window) ?? null),
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
    text("window", ({ name }) => name),
    ...labels.map((label) => text(label, ({ search }) => search.labels[label])),
    text("query", ({ search }) => search.parameters.query),
    text("parameters", ({ search }) => JSON.stringify(search.parameters)),
    day(
      "mindate",
      windows.map(({ mindate }) => mindate),
    ),
    day(
      "maxdate",
      windows.map(({ maxdate }) => maxdate),
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

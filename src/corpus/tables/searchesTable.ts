import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import type { Definition } from "../definition/definition.js";
import { labelsOf } from "../definition/definitionFile.js";
import { type Window, windowsBySearch } from "../definition/windows.js";
import type { Landing } from "../raw/landing.js";
import { lastLandings } from "../raw/lastLandings.js";
import { corpusTable } from "./corpusTables.js";

const LIVE_HITS = pl.col("vanished").isNull();
const COUNT = pl.len().alias("count");

/** The hits of each search that have not vanished. */
function liveHits(dir: string): ReadonlyMap<string, number> {
  const counts = corpusTable(dir, "hits").filter(LIVE_HITS).groupBy("search").agg(COUNT).collectSync() as PolarsFrame;
  return new Map(counts.rows() as Array<[string, number]>);
}

/** The table of searches: one row per window, in the order of the searches. Those that were not fetched have nulls. */
export function searchesTable(
  dir: string,
  definition: Definition,
  unordered: readonly Window[],
  landings: readonly Landing[],
): PolarsFrame {
  const windows = windowsBySearch(definition, unordered);
  const last = lastLandings(windows, landings);
  const isTrimmed = [...last].some(([key, { window }]) => window !== key);
  const live = isTrimmed ? liveHits(dir) : new Map<string, number>();
  const found = windows.map(({ key }) => {
    const landing = last.get(key);
    if (landing === undefined) return {};
    const { window, search, reason, requests } = landing;
    // The last days of a search say nothing of its other rows.
    const rows = window === key ? landing.rows : (live.get(search) ?? 0);
    return { rows, verdict: "complete", reason, requests, retrieved: landing.last.slice(0, 10) };
  });
  const asked = windows.map(({ search: { id, parameters }, name, mindate, maxdate }) => {
    return {
      search: id,
      window: name,
      query: parameters.query,
      parameters: JSON.stringify(parameters),
      mindate,
      maxdate,
    };
  });
  const labels = labelsOf(definition).map((name) => {
    return { name, values: windows.map(({ search }) => search.labels[name] ?? null), dtype: pl.String };
  });
  return resultFrame([
    ...columnsOf(asked, pl.String, "search", "window"),
    ...labels,
    ...columnsOf(asked, pl.String, "query", "parameters"),
    ...columnsOf(asked, pl.Date, "mindate", "maxdate"),
    ...columnsOf(found, pl.Int64, "rows"),
    ...columnsOf(found, pl.String, "verdict", "reason"),
    ...columnsOf(found, pl.Int64, "requests"),
    ...columnsOf(found, pl.Date, "retrieved"),
  ]);
}

import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import type { Definition } from "../definition/definition.js";
import { labelsOf } from "../definition/definitionFile.js";
import { windowsBySearch, windowsOf } from "../definition/windows.js";
import type { CorpusState } from "../state/corpusState.js";

/** The table of searches: one row per window, in the order of the searches. Those that were not fetched have nulls. */
export async function searchesTable(state: CorpusState, definition: Definition): Promise<PolarsFrame> {
  const windows = windowsBySearch(definition, windowsOf(definition));
  const failed = await state.database.rows<{ search: string; code: string }>("select search, code from failures");
  const codes = new Map(failed.map(({ search, code }) => [search, code]));
  const landings = windows.map((window) => {
    const landing = state.landingOf(window);
    return landing?.key === window.key ? landing : undefined;
  });
  const live = await hitsOf(
    state,
    landings.some((landing) => landing?.rows === null),
  );
  const found = windows.map(({ search, name }, at) => {
    const landing = landings[at];
    const code = codes.get(search.id);
    if (landing === undefined) return code === undefined ? {} : { verdict: "stopped", reason: code };
    const { reason, requests, began, retrieved, withoutId, repeatedIds, round } = landing;
    // The last days of a search say nothing of its other rows.
    const rows = landing.rows ?? live.get(`${search.id} ${name}`) ?? 0;
    return {
      rows,
      verdict: "complete",
      reason,
      requests,
      began,
      retrieved,
      without_id: withoutId,
      repeated_ids: repeatedIds,
      round,
    };
  });
  const asked = windows.map(({ search: { id, parameters }, name, mindate, maxdate }) => {
    return {
      search: id,
      span: name,
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
    ...columnsOf(asked, pl.String, "search", "span"),
    ...labels,
    ...columnsOf(asked, pl.String, "query", "parameters"),
    ...columnsOf(asked, pl.Date, "mindate", "maxdate"),
    ...columnsOf(found, pl.Int64, "rows"),
    ...columnsOf(found, pl.String, "verdict", "reason"),
    ...columnsOf(found, pl.Int64, "requests"),
    ...columnsOf(found, pl.Date, "began", "retrieved"),
    ...columnsOf(found, pl.Int64, "without_id", "repeated_ids", "round"),
  ]);
}

/** The hits of each window that have not vanished, if they are needed. */
async function hitsOf({ database }: CorpusState, isNeeded: boolean): Promise<ReadonlyMap<string, number>> {
  if (!isNeeded) return new Map();
  const counts = await database.rows<{ search: string; span: string; n: number }>(
    "select search, span, count(*)::int as n from hits where vanished is null group by search, span",
  );
  return new Map(counts.map(({ search, span, n }) => [`${search} ${span}`, n]));
}

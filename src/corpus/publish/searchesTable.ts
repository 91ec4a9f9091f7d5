import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { type Definition, labelNames } from "../definition/definition.js";
import { type Window, windowId, windowsBySearch } from "../definition/windows.js";
import { earlierHits } from "../state/adopt.js";
import type { CorpusState } from "../state/corpusState.js";
import { sqlRows } from "../state/sqlText.js";

/** The table of searches: one row per window, in the order of the searches. Those that were not fetched have nulls. */
export async function searchesTable(state: CorpusState, definition: Definition): Promise<PolarsFrame> {
  const failed = await state.rows<{ search: string; code: string }>("select search, code from failures");
  const codes = new Map(failed.map(({ search, code }) => [search, code]));
  const windows = windowsBySearch(definition);
  const live = await liveHits(state, windows);
  const labels = labelNames(definition);
  const rows = windows.map((window) => {
    const { search, name: span, mindate, maxdate } = window;
    const known = state.landingOf(window);
    const code = codes.get(search.id);
    const outcome =
      known?.key === window.key
        ? // The last days of a search say nothing of its other rows.
          { ...known, rows: known.rows ?? live.get(windowId(search.id, span)) ?? 0, verdict: "complete" }
        : code !== undefined && { verdict: "stopped", reason: code };
    const { query } = search.parameters;
    const asked = { search: search.id, span, query, parameters: JSON.stringify(search.parameters), mindate, maxdate };
    return { ...search.labels, ...outcome, ...asked } as Record<string, unknown>;
  });
  return resultFrame([
    ...columnsOf(rows, pl.String, "search", "span", ...labels, "query", "parameters"),
    ...columnsOf(rows, pl.Date, "mindate", "maxdate"),
    ...columnsOf(rows, pl.Int64, "rows"),
    ...columnsOf(rows, pl.String, "verdict", "reason"),
    ...columnsOf(rows, pl.Int64, "requests"),
    ...columnsOf(rows, pl.Date, "began", "retrieved"),
    ...columnsOf(rows, pl.Int64, "without_id", "repeated_ids", "round"),
  ]);
}

/** The hits of windows whose rows are not known. */
async function liveHits(state: CorpusState, windows: readonly Window[]): Promise<ReadonlyMap<string, number>> {
  const own = new Set(windows.map(({ search, name }) => windowId(search.id, name)));
  const earlier = [...state.landed.values()].filter(({ search, span }) => !own.has(windowId(search, span)));
  const names = sqlRows(earlier.map(({ search, span }) => ({ search, span })));
  const counts = await state.rows<{ search: string; span: string; n: number }>(
    `select search, span, count(*)::int as n from hits semi join (from windows where rows is null) using (search, span)
      where vanished is null group by all ${
        earlier.length === 0
          ? ""
          : `union all from ${earlierHits(`from windows anti join ${names} using (search, span)`)}`
      }`,
  );
  const live = new Map<string, number>();
  for (const { search, span, n } of counts)
    live.set(windowId(search, span), (live.get(windowId(search, span)) ?? 0) + n);
  return live;
}

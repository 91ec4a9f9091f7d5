import { sourcesOf } from "../../frames/lineage/derived.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";

/** The queries that rows come from, for a label; undefined if there are none. */
export function queriesOf(provenance: Provenance | undefined): string | undefined {
  const sources = provenance === undefined ? [] : sourcesOf(provenance);
  return [...new Set(sources.flatMap(({ parameters }) => parameters.query ?? []))].join(" + ") || undefined;
}

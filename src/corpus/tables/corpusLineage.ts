import { basename, resolve } from "node:path";
import { derived } from "../../frames/lineage/derived.js";
import { stepOf } from "../../frames/lineage/step.js";
import { pl } from "../../frames/polars.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import type { Provenance, Verdict } from "../../service/paging/provenanceRecorder.js";
import { VERSION } from "../../util/version.js";
import { readDefinition } from "../definition/definitionFile.js";
import { readTable } from "./table.js";

/** What is known of a search from its windows. Days are yyyy-mm-dd. */
interface Total {
  readonly rows: number;
  readonly requests: number;
  readonly isComplete: boolean;
  readonly first: string | null;
  readonly last: string | null;
}

const DAY = pl.col("retrieved").cast(pl.String);
const TOTALS = [
  pl.col("rows").sum(),
  pl.col("requests").sum(),
  pl.col("verdict").nullCount().eq(pl.lit(0)).alias("isComplete"),
  DAY.min().alias("first"),
  DAY.max().alias("last"),
];

/** A table of a corpus with its provenance: one source for each search, from the table of searches. */
export function withLineage<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOfCorpus(dir);
  return setProvenance(table, first && derived(first, stepOf("corpus", "joined", [basename(resolve(dir))]), others));
}

function sourcesOfCorpus(dir: string): readonly Provenance[] {
  const definition = readDefinition(dir);
  const totals = totalsOf(dir);
  return (definition?.searches ?? []).flatMap(({ id, parameters }) => {
    const total = totals.get(id);
    if (definition === undefined || total === undefined) return [];
    const verdict: Verdict = total.isComplete ? "complete" : "capped";
    return {
      operation: "mentions",
      parameters: { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? definition.until },
      baseUrl: definition.source,
      source: definition.source,
      firstResponseAt: total.first,
      lastResponseAt: total.last,
      pages: 0,
      requests: total.requests,
      retries: 0,
      rows: total.rows,
      duplicates: 0,
      conflicts: 0,
      verdict,
      reason: total.isComplete ? null : "unfinished windows",
      cursor: null,
      sha256: "",
      snapshot: null,
      cached: 0,
      redactions: 0,
      version: VERSION,
    };
  });
}

/** What is known of each search from its windows. */
function totalsOf(dir: string): ReadonlyMap<string, Total> {
  const totals = readTable(dir, "searches")
    ?.groupBy("search")
    .agg(...TOTALS);
  return new Map((totals?.toRecords() ?? []).map((total) => [String(total.search), total as unknown as Total]));
}

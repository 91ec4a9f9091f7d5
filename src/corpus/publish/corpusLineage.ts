import { basename, resolve } from "node:path";
import { derived } from "../../frames/lineage/derived.js";
import { stepOf } from "../../frames/lineage/step.js";
import { pl } from "../../frames/polars.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { type Provenance, ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { readDefinition } from "../definition/definitionFile.js";
import { readTable } from "./tableFiles.js";

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
  pl.col("verdict").eq(pl.lit("complete")).fillNull(false).min().alias("isComplete"),
  DAY.min().alias("first"),
  DAY.max().alias("last"),
];

/** A table of a corpus with its provenance: one source for each search, from the table of searches. */
export function withLineage<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOfCorpus(dir);
  return setProvenance(
    table,
    first && derived(first, stepOf("corpus", "joined", [{ directory: basename(resolve(dir)) }]), others),
  );
}

function sourcesOfCorpus(dir: string): readonly Provenance[] {
  const definition = readDefinition(dir);
  const totals = totalsOf(dir);
  if (definition === undefined) return [];
  const { source, until } = definition;
  const request = { operation: "mentions", path: "/mentions", query: [] } as const;
  const nothing = new ProvenanceRecorder(request, { baseUrl: source, source, snapshot: null }).provenance();
  return definition.searches.flatMap(({ id, parameters }): Provenance[] => {
    const total = totals.get(id);
    if (total === undefined) return [];
    const { rows, requests, isComplete, first, last } = total;
    const asked = { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? until };
    const times = { firstResponseAt: first, lastResponseAt: last };
    const verdict = isComplete ? "complete" : "capped";
    const reason = isComplete ? null : "unfinished windows";
    return [{ ...nothing, parameters: asked, ...times, rows, requests, verdict, reason, sha256: "" }];
  });
}

/** What is known of each search from its windows. */
function totalsOf(dir: string): ReadonlyMap<string, Total> {
  const totals = readTable(dir, "searches")
    ?.groupBy("search")
    .agg(...TOTALS);
  return new Map((totals?.toRecords() ?? []).map((total) => [String(total.search), total as unknown as Total]));
}

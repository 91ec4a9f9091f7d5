import { basename, resolve } from "node:path";
import { invalid } from "../../errors/validators.js";
import { derived } from "../../frames/lineage/derived.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { operations } from "../../service/operations/operations.js";
import { type Provenance, ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { readDefinition } from "../definition/definition.js";
import { corpusTable, readIndex, singleTable } from "./tableFiles.js";

/** What happened to mentions, and the columns with the days. */
const EVENTS = { added: "first_seen", changed: "changed", vanished: "vanished" };

/**
 * See `corpus.changes`.
 *
 * @param since a day, or a round
 */
export function changes(dir: string, since: unknown): PolarsFrame {
  const all = corpusTable(dir, "mentions");
  if (typeof since !== "number") {
    const first = operations.mentions.parameters.date.check("since", since);
    const parts = Object.entries(EVENTS).map(([change, column]) =>
      all
        .filter(pl.col(column).gtEq(pl.lit(first).str.strptime(pl.Date, "%Y-%m-%d")))
        .select(pl.lit(change).alias("change"), pl.col(column).alias("day"), pl.col("*"))
        .collectSync(),
    ) as PolarsFrame[];
    return pl.concat(parts, { how: "diagonal" }).sort(["day", "change", "begintime", "id"]);
  }
  if (!Number.isSafeInteger(since) || since < 0)
    throw invalid("since", since, "Give a day, or the number of a round, for example since: 3.");
  // An open round is left out: more may follow.
  const closed = readIndex(dir)?.closed ?? 0;
  const [round, vanished, changed] = [pl.col("round"), pl.col("vanished"), pl.col("changed")];
  const change = pl
    .when(vanished.isNotNull())
    .then(pl.lit("vanished"))
    .when(changed.isNull())
    .then(pl.lit("added"))
    .otherwise(pl.lit("changed"));
  const day = vanished.fillNull(changed).fillNull(pl.col("first_seen"));
  return all
    .filter(round.gt(pl.lit(since)).and(round.ltEq(pl.lit(closed))))
    .select(change.alias("change"), day.alias("day"), pl.col("*"))
    .sort(["round", "begintime", "id"])
    .collectSync() as PolarsFrame;
}

const DAY = pl.col("retrieved").cast(pl.String);
/** What is known of a search from its windows. */
const TOTALS = [
  pl.col("rows").sum(),
  pl.col("requests").sum(),
  pl.col("verdict").eq(pl.lit("complete")).fillNull(false).min().alias("isComplete"),
  DAY.min().alias("firstResponseAt"),
  DAY.max().alias("lastResponseAt"),
];

/** A table of a corpus with its provenance: one source for each search, from the table of searches. */
export function withLineage<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOfCorpus(dir);
  return setProvenance(
    table,
    first && derived(first, { verb: "corpus", text: `collected in the corpus ${basename(resolve(dir))}` }, others),
  );
}

function sourcesOfCorpus(dir: string): readonly Provenance[] {
  const definition = readDefinition(dir);
  const totals = singleTable(dir, "searches")
    .groupBy("search")
    .agg(...TOTALS)
    .toRecords();
  if (definition === undefined) return [];
  const { source, until } = definition;
  const request = { operation: "mentions", path: "/mentions", query: [] } as const;
  const nothing = new ProvenanceRecorder(request, { baseUrl: source, source, snapshot: null }).provenance();
  const bySearch = new Map(totals.map(({ search, ...total }) => [search, total]));
  return definition.searches.flatMap(({ id, parameters }): Provenance[] => {
    const { isComplete, ...total } = bySearch.get(id) ?? {};
    if (total.rows === undefined) return [];
    const asked = { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? until };
    const verdict = isComplete ? "complete" : "capped";
    const reason = isComplete ? null : "unfinished windows";
    return [{ ...nothing, ...(total as object), parameters: asked, verdict, reason, sha256: "" }];
  });
}

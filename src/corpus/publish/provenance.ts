import { basename, resolve } from "node:path";
import { derived } from "../../frames/lineage/derived.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { type Provenance, ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { dayOf } from "../corpusInfo.js";
import { readDefinition } from "../definition/definition.js";
import { singleTable } from "./tableFiles.js";

/** A table of a corpus with its provenance: one source for each search, from the table of searches. */
export function withCorpusProvenance<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOf(dir);
  return setProvenance(
    table,
    first && derived(first, { verb: "corpus", text: `collected in the corpus ${basename(resolve(dir))}` }, others),
  );
}

function sourcesOf(dir: string): readonly Provenance[] {
  const definition = readDefinition(dir);
  if (definition === undefined) return [];
  const { source, until } = definition;
  const request = { operation: "mentions", path: "/mentions", query: [] } as const;
  const nothing = new ProvenanceRecorder(request, { baseUrl: source, source, snapshot: null }).provenance();
  const rows = new Map(
    singleTable(dir, "searches")
      .toRecords()
      .map((row) => [row.search, row]),
  );
  return definition.searches.flatMap(({ id, parameters }): Provenance[] => {
    const row = rows.get(id);
    if (row === undefined || row.retrieved === null) return [];
    const isComplete = row.verdict === "complete";
    return [
      {
        ...nothing,
        parameters: { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? until },
        rows: Number(row.rows),
        requests: Number(row.requests),
        firstResponseAt: dayOf(row.first_retrieved) ?? null,
        lastResponseAt: dayOf(row.retrieved) ?? null,
        verdict: isComplete ? "complete" : "capped",
        reason: isComplete ? null : "unfinished windows",
        sha256: "",
      },
    ];
  });
}

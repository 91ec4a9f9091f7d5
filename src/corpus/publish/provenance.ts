import { basename, resolve } from "node:path";
import { derived } from "../../frames/lineage/derived.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { toRecords } from "../../frames/toRecords.js";
import { type Provenance, ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { dayOf } from "../corpusInfo.js";
import { type Definition, readDefinition } from "../definition/definition.js";
import { singleTable } from "./tableFiles.js";

/** A table of a corpus with its provenance: one source for each search, from the table of searches. */
export function withCorpusProvenance<F>(table: F, dir: string): F {
  const [first, ...others] = sourcesOf(dir);
  return setProvenance(
    table,
    first && derived(first, { verb: "corpus", text: `collected in the corpus ${basename(resolve(dir))}` }, others),
  );
}

function sourcesOf(dir: string): Provenance[] {
  const { source, until, searches } = readDefinition(dir) as Definition;
  const request = { operation: "mentions", path: "/mentions", query: [] } as const;
  const nothing = new ProvenanceRecorder(request, { baseUrl: source, source, snapshot: null }).provenance();
  const rows = new Map(toRecords(singleTable(dir, "searches")).map((row) => [row.search, row]));
  return searches.flatMap(({ id, parameters }): Provenance[] => {
    const row = rows.get(id);
    const [firstResponseAt = null, lastResponseAt] = [dayOf(row?.first_retrieved), dayOf(row?.retrieved)];
    if (row === undefined || lastResponseAt === undefined) return [];
    const days = { ...parameters, maxdate: parameters.maxdate ?? parameters.date ?? until };
    const counts = { rows: Number(row.rows), requests: Number(row.requests), firstResponseAt, lastResponseAt };
    const verdict = row.verdict === "complete" ? "complete" : "capped";
    const reason = verdict === "complete" ? null : "unfinished windows";
    return [{ ...nothing, ...counts, sha256: "", parameters: days, verdict, reason }];
  });
}

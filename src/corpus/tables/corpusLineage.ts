import { basename, resolve } from "node:path";
import { derived } from "../../frames/lineage/derived.js";
import { stepOf } from "../../frames/lineage/step.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import type { Provenance, Verdict } from "../../service/paging/provenanceRecorder.js";
import { VERSION } from "../../util/version.js";
import { readDefinition } from "../definition/definitionFile.js";
import { readTable } from "./table.js";

/** What is known of a search from its windows. */
interface Total {
  rows: number;
  requests: number;
  isComplete: boolean;
  first: string | null;
  last: string | null;
}

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

function totalsOf(dir: string): ReadonlyMap<string, Total> {
  const totals = new Map<string, Total>();
  const table = readTable(dir, "searches")?.select("search", "rows", "requests", "verdict", "retrieved");
  // A column called "rows" hides the method.
  for (const { search, rows, requests, verdict, retrieved } of table?.toRecords() ?? []) {
    const day = retrieved === null ? null : new Date(String(retrieved)).toISOString().slice(0, 10);
    const total = totals.get(String(search));
    if (total === undefined) {
      const known = { rows: Number(rows ?? 0), requests: Number(requests ?? 0), first: day, last: day };
      totals.set(String(search), { ...known, isComplete: verdict === "complete" });
      continue;
    }
    total.rows += Number(rows ?? 0);
    total.requests += Number(requests ?? 0);
    total.isComplete &&= verdict === "complete";
    if (day !== null && (total.first === null || day < total.first)) total.first = day;
    if (day !== null && (total.last === null || day > total.last)) total.last = day;
  }
  return totals;
}

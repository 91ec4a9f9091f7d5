import type { LookupReport } from "../../call/lookupOptions.js";
import type { Provenance, Verdict } from "../../service/paging/provenanceRecorder.js";
import { pluralize } from "./grid.js";

/**
 * The provenance of a result in one line.
 *
 * @param now the current time in milliseconds since 1970, for the age of cached results
 * @example
 * caption(provenance);
 * //=> "mentions · 500 rows in 5 pages, 5 requests · capped by maxItems · 2026-11-21 06:12 UTC · archive.example"
 */
export function caption(provenance: Provenance, now: number = Date.now()): string {
  const {
    operation,
    rows,
    pages,
    requests,
    duplicates,
    conflicts,
    cached,
    firstResponseAt,
    lastResponseAt,
    baseUrl,
    source,
  } = provenance;
  const dropped = duplicates === 0 ? "" : `, ${pluralize(duplicates, "duplicate")} dropped`;
  const conflicting = !conflicts ? "" : `, ${pluralize(conflicts, "row")} with conflicting ids`;
  return [
    operation,
    `${pluralize(rows, "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}${dropped}${conflicting}`,
    verdictText(provenance),
    lastResponseAt === null ? undefined : `${lastResponseAt.slice(0, 16).replace("T", " ")} UTC`,
    cached === 0 || firstResponseAt === null ? undefined : `from ${ago(now - Date.parse(firstResponseAt))}, cached`,
    sourceText(baseUrl, source),
    ...(provenance.lookups ?? []).map(lookupText),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** How many ids of a join were found. */
function lookupText({ operation, ids, found, notAsked }: LookupReport): string {
  const left = notAsked.length === 0 ? "" : `, ${notAsked.length} not asked`;
  const noun = operation === "person" ? pluralize(ids, "person", "people") : pluralize(ids, "program");
  return `${found} of ${noun} found${left}`;
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Elapsed time in the largest unit that fits. */
function ago(ms: number): string {
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(ms / 1000 / seconds);
    if (count > 0) return `${pluralize(count, unit)} ago`;
  }
  return "just now";
}

/** How a call ended. */
interface Outcome {
  readonly verdict: Verdict;
  readonly reason: string | null | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  "capped one page": "first page only",
  "capped head": "capped by head()",
  "stopped ABORTED": "interrupted",
};

/** The verdict of a result, in words. */
export function verdictText({ verdict, reason }: Outcome): string {
  if (verdict === "complete" || !reason) return verdict;
  return REASONS[`${verdict} ${reason}`] ?? (verdict === "capped" ? `capped by ${reason}` : `stopped: ${reason}`);
}

/** Leaves out the address of an embedded archive: its port differs from run to run. */
function sourceText(baseUrl: string, source: string): string {
  if (source === baseUrl) return hostOf(baseUrl);
  return source.startsWith("embedded archive") ? source : `${hostOf(baseUrl)}, from ${source}`;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

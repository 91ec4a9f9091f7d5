import type { LookupReport } from "../../call/callOptions.js";
import { distinctSources, sourcesOf, stepsOf } from "../../frames/lineage/derived.js";
import { argumentWords, type Step } from "../../frames/lineage/step.js";
import { recordedProvenance } from "../../frames/provenanceOf.js";
import { parsedUrl } from "../../service/http/url.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { formatCount, pluralize } from "../../util/counts.js";
import { clip, quoted } from "../../util/quoted.js";
import { sum } from "../../util/sum.js";
import { verdictText } from "../../util/verdictText.js";

/**
 * The provenance of a result in one line. That of a derived frame names its queries and the verbs since then.
 *
 * @param now the current time in milliseconds since 1970, for the age of cached results
 * @param height the rows of a derived frame
 * @example
 * caption(provenance);
 * //=> "mentions · 500 rows in 5 pages, 5 requests · capped by maxItems · 2026-11-21 06:12 UTC · archive.example"
 */
export function caption(provenance: Provenance, now: number = Date.now(), height?: number): string {
  const { lookups = [] } = provenance;
  const parts = provenance.steps === undefined ? fetchedParts(provenance, now) : derivedParts(provenance, height);
  return joined([...parts, sourceText(provenance), ...lookups.map(lookupText)]);
}

function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined).join(" · ");
}

function fetchedParts(provenance: Provenance, now: number): Array<string | undefined> {
  const { operation, pages, requests, duplicates, conflicts, cached, firstResponseAt } = provenance;
  const dropped = duplicates === 0 ? "" : `, ${pluralize(duplicates, "duplicate")} dropped`;
  const conflicting = !conflicts ? "" : `, ${pluralize(conflicts, "row")} with conflicting ids`;
  return [
    operation,
    `${pluralize(rowsOf(provenance), "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}${dropped}${conflicting}`,
    verdictText(provenance),
    minuteOf(provenance.lastResponseAt),
    cached === 0 || firstResponseAt === null ? undefined : `from ${ago(now - Date.parse(firstResponseAt))}, cached`,
  ];
}

/** The rows of a result: of speeches on a bill those that count, not all that their searches returned. */
function rowsOf({ rows, speeches }: Provenance): number {
  return speeches === undefined ? rows : sum(speeches.included.map((speaker) => speaker.speeches));
}

/** `2026-11-21 06:12 UTC` */
function minuteOf(time: string | null): string | undefined {
  return time?.slice(0, 16).replace("T", " ").concat(" UTC");
}

/** More would hide what follows. */
const MAX_QUERIES = 3;
const MAX_STEPS = 8;

/** `mentions "climate" · 500 of 2,973 rows, capped by maxItems · filter · groupBy party · 2026-11-23` */
function derivedParts(provenance: Provenance, height: number | undefined): Array<string | undefined> {
  const rows = rowsOf(provenance);
  const steps = stepsOf(provenance);
  const names = distinctSources(sourcesOf(provenance)).map(({ operation, parameters: { query } }) =>
    query === undefined ? operation : `${operation} ${quoted(query)}`,
  );
  const areRows = height !== undefined && steps.every(({ effect }) => ROWS.has(effect)) && height < rows;
  const verbs = steps.map((step) => {
    const words = step.effect === "summary" || step.effect === "joined" ? argumentWords(step) : "";
    return words === "" ? step.verb : `${step.verb} ${clip(words, 40)}`;
  });
  const shown = verbs.filter((verb, at) => verb !== verbs[at - 1]);
  return [
    cut(names, MAX_QUERIES, "more").join(" + "),
    `${areRows ? `${formatCount(height)} of ` : ""}${pluralize(rows, "row")}, ${verdictText(provenance)}`,
    ...cut(shown, MAX_STEPS, "more steps"),
    provenance.lastResponseAt?.slice(0, 10),
  ];
}

/** The first texts of a list, and how many more there are. */
function cut(texts: readonly string[], max: number, more: string): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `${texts.length - max} ${more}`];
}

/** Effects after which the rows are rows of the source. */
const ROWS = new Set<Step["effect"]>(["rows", "order", "columns"]);

/** A result in full, for a list of sources: its parameters, rows, verdict, time, service and hash. */
function sourceLine(provenance: Provenance): string {
  const { operation, parameters, rows, firstResponseAt, lastResponseAt, sha256 } = provenance;
  const given = Object.entries(parameters).map(([name, value]) => `${name} ${quoted(String(value))}`);
  return joined([
    [operation, ...given].join(", "),
    `${pluralize(rows, "row")}, ${verdictText(provenance)}`,
    minuteOf(lastResponseAt ?? firstResponseAt),
    sourceText(provenance),
    sha256 === "" ? undefined : `SHA-256 ${sha256}`,
  ]);
}

/** A caption, and what it shows on hover. */
export interface Note {
  readonly text: string;
  /** Where the data comes from, in full. */
  readonly lines: readonly string[];
}

/**
 * Where data comes from: a caption, and a line for every source, then the steps in full.
 *
 * @param height the rows of a derived frame
 */
export function noteOf(provenance: Provenance, height?: number): Note {
  const sources = distinctSources(sourcesOf(provenance)).map(sourceLine);
  const steps = stepsOf(provenance).map((step) => `${step.verb}(${argumentWords(step)})`);
  const lines = steps.length === 0 ? sources : [...sources, `${STEPS}${steps.join(", ")}`];
  return { text: caption(provenance, Date.now(), height), lines };
}

/** Where a frame comes from; undefined if that is unknown. */
export function noteOfFrame(frame: unknown, height: number | undefined): Note | undefined {
  const provenance = recordedProvenance(frame);
  return provenance && noteOf(provenance, height);
}

/** How the line of steps begins. */
export const STEPS = "Steps: ";

/** How many ids of a join were found. */
function lookupText({ operation, ids, found, notAsked }: LookupReport): string {
  const left = notAsked.length === 0 ? "" : `, ${notAsked.length} not asked`;
  const noun = operation === "person" ? pluralize(ids, "person", "people") : pluralize(ids, "program");
  return `${found} of ${noun} found${left}`;
}

/** Elapsed time in the largest unit that fits. */
function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${pluralize(minutes, "minute")} ago`;
  if (minutes < 1440) return `${pluralize(Math.floor(minutes / 60), "hour")} ago`;
  return `${pluralize(Math.floor(minutes / 1440), "day")} ago`;
}

/** Leaves out the address of an embedded archive: its port differs from run to run. */
function sourceText({ baseUrl, source }: Provenance): string {
  // Of frames from several services, both are joined with " + ".
  const hosts = baseUrl
    .split(" + ")
    .map((url) => parsedUrl(url)?.host ?? url)
    .join(" + ");
  if (source === baseUrl) return hosts;
  return source.startsWith("embedded archive") ? source : `${hosts}, from ${source}`;
}

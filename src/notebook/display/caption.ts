import type { LookupReport } from "../../call/callOptions.js";
import { sourcesOf } from "../../frames/lineage/derived.js";
import { recordedProvenance } from "../../frames/provenanceOf.js";
import { parsedUrl } from "../../service/http/url.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { clip, formatCount, pluralize, quoted, verdictText } from "../../util/text.js";

/**
 * The provenance of a result in one line. That of a derived frame names its queries and the steps since then.
 *
 * @param height the rows of a derived frame
 * @example
 * caption(provenance);
 * //=> "mentions · 500 rows in 5 pages, 5 requests · capped by maxItems · 2026-11-21 06:12 UTC · archive.example"
 */
export function caption(provenance: Provenance, height: number = provenance.rows): string {
  const { steps, lookups = [] } = provenance;
  const parts = steps === undefined ? fetchedParts(provenance) : derivedParts(provenance, height);
  return joined([...parts, sourceText(provenance), ...lookups.map(lookupText)]);
}

function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined).join(" · ");
}

function fetchedParts(provenance: Provenance): Array<string | undefined> {
  const { operation, rows, pages, requests, duplicates, conflicts, cached, lastResponseAt } = provenance;
  const dropped = duplicates === 0 ? "" : `, ${pluralize(duplicates, "duplicate")} dropped`;
  const conflicting = !conflicts ? "" : `, ${pluralize(conflicts, "row")} with conflicting ids`;
  return [
    operation,
    `${pluralize(rows, "row")} in ${pluralize(pages, "page")}, ${pluralize(requests, "request")}${dropped}${conflicting}`,
    verdictText(provenance),
    minuteOf(lastResponseAt),
    cached === 0 ? undefined : "cached",
  ];
}

/** `2026-11-21 06:12 UTC` */
function minuteOf(time: string | null): string | undefined {
  return time?.slice(0, 16).replace("T", " ").concat(" UTC");
}

/** More would hide what follows. */
const MAX_QUERIES = 3;
const MAX_STEPS = 6;
const MAX_TEXT = 48;

/** `mentions "climate" · 120 rows from 500, capped by maxItems · grouped by person (len) · 2026-11-23` */
function derivedParts(provenance: Provenance, height: number): Array<string | undefined> {
  const { rows } = provenance;
  const names = sourcesOf(provenance).map(({ operation, parameters: { query } }) =>
    query === undefined ? operation : `${operation} ${quoted(query)}`,
  );
  const steps = (provenance.steps ?? []).map(({ text }) => clip(text, MAX_TEXT));
  const origin = height === rows ? "" : ` from ${formatCount(rows)}`;
  return [
    cut(names, MAX_QUERIES, "more").join(" + "),
    `${pluralize(height, "row")}${origin}, ${verdictText(provenance)}`,
    ...cut(steps, MAX_STEPS, "more steps"),
    provenance.lastResponseAt?.slice(0, 10),
  ];
}

/** The first texts of a list, and how many more there are. */
function cut(texts: readonly string[], max: number, more: string): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `${texts.length - max} ${more}`];
}

/** A result in full, for a list of sources: its parameters, rows, verdict, time, service and hash. */
function sourceLine(provenance: Provenance): string {
  const { operation, parameters, rows, firstResponseAt, lastResponseAt, sha256 } = provenance;
  const texts = Object.entries(parameters).map(([name, value]) => `${name} ${quoted(String(value))}`);
  return joined([
    [operation, ...texts].join(", "),
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
  const sources = sourcesOf(provenance).map(sourceLine);
  const steps = (provenance.steps ?? []).map(({ text }) => text);
  const lines = steps.length === 0 ? sources : [...sources, `${STEPS}${steps.join("; ")}`];
  return { text: caption(provenance, height), lines };
}

/** Where a frame comes from; undefined if that is unknown. */
export function noteOfFrame(frame: unknown, height: number | undefined): Note | undefined {
  const provenance = recordedProvenance(frame);
  return provenance && noteOf(provenance, height);
}

/** How the line of steps begins. */
export const STEPS = "Steps: ";

/** How many ids of a join were found. */
function lookupText({ operation, ids, found, skipped }: LookupReport): string {
  const rest = skipped.length === 0 ? "" : `, ${skipped.length} not looked up`;
  const noun = operation === "person" ? pluralize(ids, "person", "people") : pluralize(ids, "program");
  return `${found} of ${noun} found${rest}`;
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

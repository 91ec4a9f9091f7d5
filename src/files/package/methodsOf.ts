import { invalid } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import type { Step } from "../../frames/lineage/derived.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { formatCount, joinWords, pluralize, quoteQuery, verdictText } from "../../util/text.js";
import { VERSION } from "../../util/version.js";
import { type FileProvenance, fileProvenance } from "./fileProvenance.js";

/**
 * Writes a methods paragraph for a paper from the provenance: what was searched, when and with which limits, how many rows were found,
 * which steps followed, and the versions.
 *
 * @param value a frame, a chart or a list of rows of this package, or a frame derived from one
 * @returns one paragraph of plain text
 * @throws ValidationError for a value of unknown origin
 * @example
 * const speeches = (await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 10_000 })).filter(pl.col("length").gt(60));
 * methodsOf(speeches);
 * //=> 'We searched mentions for "climate" (mindate 2024-01-01) in embedded archive 3f2a9c1b on 2026-11-24. The search returned 889 rows
 * //    (SHA-256 of the responses: 58799895ecd793a8…) and is complete. The rows were then filtered by [(col("length")) > (60.0)]
 * //    (889 → 816 rows). Data were retrieved with archive-frames 0.1.0.'
 */
export function methodsOf(value: unknown): string {
  const provenance = provenanceOf(value);
  if (provenance === undefined) {
    const hint = "Give a frame of this package: series and frames made from plain rows have no provenance.";
    throw invalid("value", isPolarsFrame(value) ? "a frame without provenance" : value, hint);
  }
  return methodsText(fileProvenance(provenance), isPolarsFrame(value) ? value.height : undefined);
}

/**
 * {@link methodsOf} for the provenance of a saved file.
 *
 * @param height the rows of the frame
 */
export function methodsText(provenance: FileProvenance, height?: number): string {
  const { sources = [provenance], steps = [] } = provenance;
  const last = steps.at(-1);
  const versions = [...new Set(provenance.version.split(" + "))];
  const sentences = [
    ...sources.map(searchText),
    last !== undefined && `The rows were then ${joinWords(steps.map(stepText))}.`,
    // The steps of lazy frames have no row counts.
    last !== undefined && last.rows === undefined && height !== undefined && `This gave ${pluralize(height, "row")}.`,
    `Data were retrieved with archive-frames ${versions.join(" and ")}${versions.includes(VERSION) ? "" : `; this text was written by version ${VERSION}`}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

function stepText({ text, rows }: Step): string {
  if (rows === undefined || rows[0] === rows[1]) return text;
  return `${text} (${formatCount(rows[0])} → ${pluralize(rows[1], "row")})`;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  programsSearch: "programs",
  speechesOnBill: "speeches on the bill",
};

/** Says what a search was for, and what it returned. */
function searchText(source: FileProvenance): string {
  const { operation, parameters, retrieved, rows, duplicates, conflicts, sha256, sample } = source;
  const { query, bills, mindate, maxdate, ...limits } = parameters;
  const conditions = Object.entries({ mindate, maxdate, ...limits }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  const clauses = [
    `We searched ${OPERATIONS[operation] ?? operation}`,
    query !== undefined && `for ${quoteQuery(query)}`,
    bills !== undefined && billsText(bills),
    conditions.length > 0 && `(${conditions.join(", ")})`,
    `in ${source.source}`,
    retrieved !== null && `on ${retrieved}`,
  ];
  const hash = sha256 === "" ? "" : ` (SHA-256 of the responses: ${sha256.slice(0, 16)}…)`;
  const sampleText = sample && `${formatCount(sample.rows)} were drawn at random with the seed ${sample.seed}`;
  const pages = sample?.pageRows == null ? "" : ` from ${pluralize(sample.pages, "page")}`;
  const sentences = [
    `${clauses.filter(Boolean).join(" ")}.`,
    sample === undefined
      ? `The search returned ${pluralize(rows, "row")}${hash} and ${ending(source)}`
      : `Of its ${pluralize(sample.of, "row")}, ${sampleText}${pages}${hash}.`,
    duplicates > 0 && `${pluralize(duplicates, "row")} that repeated an earlier row ${were(duplicates)} left out.`,
    conflicts > 0 &&
      `${pluralize(conflicts, "row")} with the id of another row and different contents ${were(conflicts)} kept.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

function ending(source: FileProvenance): string {
  const why = verdictText(source);
  if (source.verdict === "complete") return `is ${why}.`;
  return source.verdict === "capped" ? `is not complete (${why}).` : `did not finish (${why}), so rows are missing.`;
}

function were(count: number): string {
  return count === 1 ? "was" : "were";
}

/** Lists bills by title and number, from the JSON in the parameters of a call. */
function billsText(text: string): string {
  try {
    const bills = JSON.parse(text) as ReadonlyArray<Readonly<Record<string, unknown>>>;
    const names = bills.map(({ title, number, congress }) => {
      const further = [title && number, congress !== undefined && `Congress ${congress}`].filter(Boolean).join(", ");
      return `${quoteQuery(title ?? number)}${further === "" ? "" : ` (${further})`}`;
    });
    return joinWords(names);
  } catch {
    return text;
  }
}

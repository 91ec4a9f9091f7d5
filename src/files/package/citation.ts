import { basename } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { userPath } from "../../fs/paths.js";
import { inputFile } from "../../fs/receivedFile.js";
import { pluralize, quoteQuery } from "../../util/text.js";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, metadataProvenance, resourceProvenance } from "./fileProvenance.js";
import { describeContent } from "./fileResource.js";

export interface Citation {
  readonly file: string;
  readonly provenance: FileProvenance;
  /** SHA-256 of the file in hexadecimal. */
  readonly sha256: string;
}

/**
 * Reads the provenance of a saved file.
 *
 * @throws ArchiveError if the file has changed since, or its provenance is unknown
 */
export async function citation(path: string): Promise<Citation> {
  const typedPath = userPath("path", path, "climate.parquet");
  const file = inputFile(typedPath);
  const resource = findResource(typedPath);
  const { bytes, hash } = await describeContent(file);
  if ((resource?.bytes ?? bytes) !== bytes || (resource?.hash ?? hash) !== hash) {
    throw new ArchiveError(`${typedPath} has changed since it was saved: its SHA-256 differs.`, {
      code: "FILE_ERROR",
      hint: "Save it again, or cite the file that datapackage.json describes.",
      path: typedPath,
    });
  }
  const provenance = (resource && resourceProvenance(typedPath, resource, true)) ?? (await parquetProvenance(file));
  if (provenance === undefined) {
    throw new ArchiveError(`The provenance of ${typedPath} is unknown.`, {
      code: "FILE_ERROR",
      hint: "Keep the datapackage.json that was saved next to it. Parquet files contain their provenance.",
      path: typedPath,
    });
  }
  return { file: basename(typedPath), provenance, sha256: hash.slice("sha256:".length) };
}

async function parquetProvenance(file: string): Promise<FileProvenance | undefined> {
  if (!/\.(?:parquet|parq|pq)$/i.test(file)) return undefined;
  // Loads polars, which other formats do not need.
  const { readMetadata } = await import("../../tables/readTable.js");
  return metadataProvenance(file, await readMetadata(file));
}

export function citationText({ file, provenance, sha256 }: Citation): string {
  const { operation, verdict, reason, retrieved, version } = provenance;
  const ending = `${verdict}${reason === null ? "" : ` (${reason})`}`;
  return [
    `${title(provenance)}: ${operation}${parametersText(provenance)}, ${pluralize(savedRows(provenance), "row")}, ${ending}.`,
    `Retrieved ${retrieved ?? "on an unknown date"} with archive-frames ${version}.`,
    `${file}, SHA-256 ${sha256}.`,
  ].join(" ");
}

export function citationBibtex({ file, provenance, sha256 }: Citation): string {
  const { operation, verdict, retrieved, version } = provenance;
  const fields = {
    title: texText(`${operation}${parametersText(provenance)}`),
    author: `{${texText(title(provenance))}}`,
    year: texText(retrieved?.slice(0, 4) ?? ""),
    urldate: texText(retrieved ?? ""),
    note: texText(
      `${savedRows(provenance)} rows, ${verdict}; retrieved with archive-frames ${version}; ${file}, SHA-256 ${sha256}`,
    ),
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === "" ? [] : `  ${name} = {${value}}`));
  return `@misc{${file.replace(/[^A-Za-z0-9]+/g, "-")},\n${lines.join(",\n")}\n}`;
}

/** The rows after the last step. */
function savedRows({ rows, steps = [] }: FileProvenance): number {
  return steps.findLast((step) => step.rows !== undefined)?.rows?.[1] ?? rows;
}

function title({ source }: FileProvenance): string {
  return /^https?:/.test(source) ? `Archive Search Service, ${source}` : source;
}

function parametersText({ parameters }: FileProvenance): string {
  const parts = Object.entries(parameters).map(([name, value]) => `${name}: ${quoteQuery(value)}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Braces become commands, because BibTeX also counts escaped ones. */
const TEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "“": "``",
  "”": "''",
};

/** Escapes a string for TeX: a query may contain anything. */
function texText(value: string): string {
  return value.replace(/\s+/g, " ").replace(/[\\{}~^#$%&_“”]/g, (character) => TEX[character] ?? `\\${character}`);
}

import { basename } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";
import { inputFile } from "../../fs/inputFile.js";
import { userPath } from "../../fs/userPath.js";
import { pluralize } from "../../util/counts.js";
import { quoted } from "../../util/quoted.js";
import { findResource } from "./dataPackage.js";
import { type FileProvenance, isFileProvenance, type PackagedProvenance } from "./fileProvenance.js";
import { type FileResource, fileContent } from "./fileResource.js";
import { typedQuery } from "./typedQuery.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

/**
 * Reads the provenance of a saved file from the `datapackage.json` next to it, or from the Parquet file itself. If the file has changed
 * since, returns undefined with the warning `FILE_CHANGED`.
 *
 * @returns undefined if it is unknown
 * @throws ArchiveError if the file cannot be read
 * @example
 * (await readFileProvenance("climate.parquet"))?.verdict; //=> "complete"
 */
export async function readFileProvenance(path: string): Promise<FileProvenance | PackagedProvenance | undefined> {
  const { given, real, resource } = savedFile(path);
  const isSame = resource === undefined || isUnchanged(resource, await fileContent(real, basename(real)));
  return knownProvenance(given, real, resource, isSame);
}

/** The path of a file, with links resolved too, and its description. */
function savedFile(path: string) {
  const given = userPath("path", path, "climate.parquet");
  const real = inputFile(given);
  return { given, real, resource: findResource(given) };
}

async function knownProvenance(given: string, real: string, resource: FileResource | undefined, isSame: boolean) {
  const packaged = resource && packagedProvenanceOf(given, resource, isSame);
  if (packaged !== undefined || !/\.(?:parquet|parq|pq)$/i.test(real)) return packaged;
  // Loads polars, which citing other files does not need.
  const { readMetadata } = await import("../../tables/readTable.js");
  return metadataProvenance(await readMetadata(real));
}

/** The provenance in a description; undefined, with a warning, if the file has changed. */
export function packagedProvenanceOf(
  path: string,
  { provenance }: FileResource,
  isSame: boolean,
): FileProvenance | PackagedProvenance | undefined {
  if (!isFileProvenance(provenance)) return undefined;
  if (isSame) return provenance;
  const text = `${quoted(basename(path))} has changed since datapackage.json described it, so its provenance is unknown.`;
  warn("FILE_CHANGED", text);
  return undefined;
}

export function metadataProvenance(metadata: ReadonlyMap<string, string>): FileProvenance | undefined {
  try {
    const provenance: unknown = JSON.parse(metadata.get(PARQUET_KEY) ?? "null");
    return isFileProvenance(provenance) ? provenance : undefined;
  } catch {
    return undefined; // not our value
  }
}

/** Whether a file has the described size and hash, as far as they are described. */
function isUnchanged(resource: Partial<FileResource>, { bytes, hash }: Pick<FileResource, "bytes" | "hash">): boolean {
  return (resource.bytes ?? bytes) === bytes && (resource.hash ?? hash) === hash;
}

export interface Citation {
  readonly file: string;
  readonly provenance: FileProvenance;
  /** SHA-256 of the file in hexadecimal. */
  readonly sha256: string;
}

/** Reads the provenance of a saved file, and checks that the file is unchanged. */
export async function citation(path: string): Promise<Citation> {
  const { given, real, resource } = savedFile(path);
  const content = await fileContent(real, basename(real));
  if (resource !== undefined && !isUnchanged(resource, content)) {
    throw new ArchiveError(`${given} has changed since it was saved: its SHA-256 differs.`, {
      code: "FILE_ERROR",
      hint: "Save it again, or cite the file that datapackage.json describes.",
      path: given,
    });
  }
  const provenance = await knownProvenance(given, real, resource, true);
  if (provenance === undefined) {
    throw new ArchiveError(`The provenance of ${given} is unknown.`, {
      code: "FILE_ERROR",
      hint: "Keep the datapackage.json that was saved next to it. Parquet files contain their provenance.",
      path: given,
    });
  }
  return { file: basename(given), provenance, sha256: content.hash.slice("sha256:".length) };
}

export function citationText({ file, provenance, sha256 }: Citation): string {
  const { operation, rows, verdict, reason, retrieved, version } = provenance;
  const ending = `${verdict}${reason === null ? "" : ` (${reason})`}`;
  return [
    `${title(provenance)}: ${operation}${parametersText(provenance)}, ${pluralize(rows, "row")}, ${ending}.`,
    `Retrieved ${retrieved ?? "on an unknown date"} with archive-frames ${version}.`,
    `${file}, SHA-256 ${sha256}.`,
  ].join(" ");
}

export function citationBibtex(citation: Citation): string {
  const { file, provenance, sha256 } = citation;
  const { operation, rows, verdict, retrieved, version } = provenance;
  const key = file.replace(/[^A-Za-z0-9]+/g, "-");
  const fields: Array<[string, string]> = [
    ["title", `${operation}${parametersText(provenance)}`],
    ["author", title(provenance)],
    ["year", retrieved?.slice(0, 4) ?? ""],
    ["urldate", retrieved ?? ""],
    ["note", `${rows} rows, ${verdict}; retrieved with archive-frames ${version}; ${file}, SHA-256 ${sha256}`],
  ];
  const lines = fields
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `  ${name} = {${name === "author" ? `{${texText(value)}}` : texText(value)}}`);
  return `@misc{${key},\n${lines.join(",\n")}\n}`;
}

function title({ source }: FileProvenance): string {
  return /^https?:/.test(source) ? `Archive Search Service, ${source}` : source;
}

function parametersText({ parameters }: FileProvenance): string {
  const parts = Object.entries(parameters).map(([name, value]) => `${name}: ${typedQuery(value)}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** BibTeX counts even escaped braces, so a single one must not appear. */
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

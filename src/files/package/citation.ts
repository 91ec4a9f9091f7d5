import { basename } from "node:path";
import { FileError } from "../../errors/index.js";
import { inputFile } from "../../fs/readInputFile.js";
import { statOf } from "../../fs/statOf.js";
import { userPath } from "../../fs/userPath.js";
import { pluralize } from "../../util/counts.js";
import { findResource } from "./dataPackage.js";
import type { FileProvenance } from "./fileProvenance.js";
import { fileContent } from "./fileResource.js";
import { isUnchanged, readFileProvenance } from "./readFileProvenance.js";

/** A saved file to cite, and its provenance. */
export interface Citation {
  readonly file: string;
  readonly provenance: FileProvenance;
  /** SHA-256 of the file in hexadecimal; null for the directory of a dataset. */
  readonly sha256: string | null;
}

/** Reads the provenance of a saved file, and checks that the file is unchanged. */
export async function citation(given: string): Promise<Citation> {
  const path = userPath("path", given, "climate.parquet");
  const isDirectory = statOf(path)?.isDirectory() === true;
  if (!isDirectory) inputFile(path);
  const resource = findResource(path);
  if (resource !== undefined && !(await isUnchanged(path, resource))) {
    const what = isDirectory ? "dataset" : "file";
    throw new FileError(`${path} has changed since it was saved: its SHA-256 differs.`, {
      code: "FILE_ERROR",
      hint: `Save it again, or cite the ${what} that datapackage.json describes.`,
      path,
    });
  }
  const provenance = await readFileProvenance(path);
  if (provenance === undefined) {
    throw new FileError(`The provenance of ${path} is unknown.`, {
      code: "FILE_ERROR",
      hint: "Keep the datapackage.json that was saved next to it. Parquet files contain their provenance.",
      path,
    });
  }
  const { hash } = await fileContent(path, basename(path));
  return { file: basename(path), provenance, sha256: hash?.slice("sha256:".length) ?? null };
}

/** Formats a citation for a list of references. */
export function citationText({ file, provenance, sha256 }: Citation): string {
  const { operation, rows, verdict, reason, retrieved, version } = provenance;
  const ending = `${verdict}${reason === null ? "" : ` (${reason})`}`;
  return [
    `${title(provenance)}: ${operation}${parametersText(provenance)}, ${pluralize(rows, "row")}, ${ending}.`,
    `Retrieved ${retrieved ?? "on an unknown date"} with archive-frames ${version}.`,
    `${file}${sha256 === null ? "" : `, SHA-256 ${sha256}`}.`,
  ].join(" ");
}

/** Formats a citation for BibTeX. */
export function citationBibtex(citation: Citation): string {
  const { file, provenance, sha256 } = citation;
  const { operation, rows, verdict, retrieved, version } = provenance;
  const key = file.replace(/[^A-Za-z0-9]+/g, "-");
  const fields: Array<[string, string]> = [
    ["title", `${operation}${parametersText(provenance)}`],
    ["author", title(provenance)],
    ["year", retrieved?.slice(0, 4) ?? ""],
    ["urldate", retrieved ?? ""],
    [
      "note",
      `${rows} rows, ${verdict}; retrieved with archive-frames ${version}; ${file}${sha256 === null ? "" : `, SHA-256 ${sha256}`}`,
    ],
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
  const parts = Object.entries(parameters).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** BibTeX counts even escaped braces, so a single one must not appear. */
const TEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

/** Escapes a string for TeX: a query may contain anything. */
function texText(value: string): string {
  return value.replace(/\s+/g, " ").replace(/[\\{}~^#$%&_]/g, (character) => TEX[character] ?? `\\${character}`);
}

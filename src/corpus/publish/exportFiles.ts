import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../util/version.js";
import { sha256 } from "../files.js";
import type { DescribedColumn, DescribedTable } from "./codebook.js";
import { fieldType, htmlText } from "./packageFiles.js";
import { isPartitioned } from "./tableFiles.js";

/** What the metadata files of an export say. */
export interface ExportMetadata {
  readonly title: string;
  readonly description: string;
  readonly creators: readonly string[];
  /** The service. */
  readonly source: string;
  /** The last day on which rows were fetched, yyyy-mm-dd: no clock, so that exports are reproducible. */
  readonly date: string;
  readonly isIdsOnly: boolean;
}

const jsonFile = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;

/** `CITATION.cff` in the Citation File Format 1.2. A JSON string is a YAML string, whatever it contains. */
export function citationFile({ title, description, creators, date }: ExportMetadata): string {
  return `cff-version: 1.2.0
message: If you use this dataset, please cite it.
type: dataset
title: ${JSON.stringify(title)}
abstract: ${JSON.stringify(description)}
authors:
${creators.map((name) => `  - name: ${JSON.stringify(name)}`).join("\n")}
date-released: ${JSON.stringify(date)}
references:
  - type: software
    title: archive-frames
    version: ${JSON.stringify(VERSION)}
    authors:
      - name: The authors of archive-frames
`;
}

/** `.zenodo.json`. Zenodo reads the description as HTML. */
export function zenodoMetadata({ title, description, creators, date }: ExportMetadata): string {
  return jsonFile({
    title,
    description: `<p>${htmlText(description)}</p>`,
    upload_type: "dataset",
    publication_date: date,
    creators: creators.map((name) => ({ name })),
    access_right: "restricted",
    access_conditions: "<p>See LICENSE.md: the terms of the archive apply.</p>",
    keywords: ["television", "captions", "corpus"],
  });
}

/** The note on the licence: the rows are not ours to license. */
export function licenseNote({ source, isIdsOnly }: ExportMetadata): string {
  const content = isIdsOnly
    ? "This export has ids, times, numbers and checksums only. Whoever has a key to the archive can fetch the text again:\n`archive-frames corpus hydrate <this directory> <new directory>`."
    : "This export has captions and titles as the archive returned them. Check that its terms allow you to share them; an export with\n`idsOnly` leaves them out.";
  return `# Licence

The rows come from an archive and are subject to its terms of use. No other licence is granted. The service, as JSON:

    ${JSON.stringify(source)}

${content}
`;
}

const FORMATS: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  json: "application/json",
  md: "text/markdown",
  cff: "application/yaml",
  csv: "text/csv",
};

/**
 * `ro-crate-metadata.json` in RO-Crate 1.2: the dataset and every file, as a flat graph of JSON-LD.
 *
 * @param files relative to `root`
 */
export function roCrate(root: string, files: readonly string[], metadata: ExportMetadata): string {
  const people = metadata.creators.map((name, at) => ({ "@id": `#creator-${at + 1}`, "@type": "Person", name }));
  const about = { "@id": "./" };
  const conformsTo = { "@id": "https://w3id.org/ro/crate/1.2" };
  const dataset = {
    ...about,
    "@type": "Dataset",
    name: metadata.title,
    description: metadata.description,
    datePublished: metadata.date,
    license: { "@id": "LICENSE.md" },
    creator: people.map((person) => ({ "@id": person["@id"] })),
    hasPart: files.map((path) => ({ "@id": path })),
  };
  const entities = files.map((path) => {
    const bytes = readFileSync(join(root, path));
    return {
      "@id": path,
      "@type": "File",
      name: path,
      contentSize: String(bytes.length),
      encodingFormat: FORMATS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      sha256: sha256(bytes),
    };
  });
  const itself = { "@id": "ro-crate-metadata.json", "@type": "CreativeWork", conformsTo, about };
  const graph = [itself, dataset, ...people, ...entities];
  return jsonFile({ "@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph });
}

const DATA_TYPES = {
  datetime: "sc:DateTime",
  integer: "sc:Integer",
  number: "sc:Float",
  date: "sc:Date",
  boolean: "sc:Boolean",
  string: "sc:Text",
} as const;

const OWN_TERMS = ["column", "extract", "field", "fileObject", "fileSet", "includes", "key", "recordSet", "source"];

const CONTEXT = {
  "@language": "en",
  "@vocab": "https://schema.org/",
  sc: "https://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  dct: "http://purl.org/dc/terms/",
  conformsTo: "dct:conformsTo",
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  ...Object.fromEntries(OWN_TERMS.map((term) => [term, `cr:${term}`])),
};

/** `croissant.json` in Croissant 1.0: every file with its hash, and every table with its columns, for loaders of machine learning. */
export function croissant(tables: readonly DescribedTable[], metadata: ExportMetadata): string {
  const filled = tables.filter(({ files }) => files.length > 0);
  return jsonFile({
    "@context": CONTEXT,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.0",
    name: metadata.title,
    description: metadata.description,
    // Where the export is published; nobody knows an address before.
    url: "./",
    license: "LICENSE.md",
    creator: metadata.creators.map((name) => ({ "@type": "sc:Person", name })),
    datePublished: metadata.date,
    version: "1.0.0",
    distribution: filled.flatMap(distribution),
    recordSet: filled.map(recordSet),
  });
}

/** The files of a table and, if it has one a month, their set. */
function distribution({ name, files }: DescribedTable): object[] {
  const encodingFormat = "application/x-parquet";
  const objects = files.map(({ path, bytes, sha256 }) => ({
    "@type": "cr:FileObject",
    "@id": path,
    name: path,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat,
    sha256,
  }));
  const [id, includes] = [`files-${name}`, `tables/${name}/*/*/part.parquet`];
  const set = { "@type": "cr:FileSet", "@id": id, name: id, encodingFormat, includes };
  return isPartitioned(name) ? [...objects, set] : objects;
}

function recordSet({ name: table, files, columns }: DescribedTable) {
  const file = { fileObject: { "@id": files[0]?.path } };
  const source = isPartitioned(table) ? { fileSet: { "@id": `files-${table}` } } : file;
  const field = ({ name, meaning, dtype }: DescribedColumn) => ({
    "@type": "cr:Field",
    "@id": `${table}/${encodeURIComponent(name)}`,
    name,
    description: meaning,
    dataType: DATA_TYPES[fieldType(dtype)],
    source: { ...source, extract: { column: name } },
  });
  return { "@type": "cr:RecordSet", "@id": table, name: table, field: columns.map(field) };
}

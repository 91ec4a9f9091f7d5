import type { DescribedColumn, DescribedTable } from "./codebook/describeTables.js";
import { fieldType } from "./codebook/tableResource.js";
import type { ExportMetadata } from "./exportMetadata.js";
import { isPartitioned } from "./tableFiles.js";

/** What loaders of Croissant call Parquet. */
const PARQUET = "application/x-parquet";

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
  const dataset = {
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
    distribution: filled.flatMap(resources),
    recordSet: filled.map(recordSet),
  };
  return `${JSON.stringify(dataset, null, 2)}\n`;
}

/** The files of a table and, if it has one a month, their set. */
function resources({ name, files }: DescribedTable) {
  const objects = files.map(({ path, bytes, sha256 }) => ({
    "@type": "cr:FileObject",
    "@id": path,
    name: path,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat: PARQUET,
    sha256,
  }));
  const includes = `tables/${name}/*/*/part.parquet`;
  const set = {
    "@type": "cr:FileSet",
    "@id": `files-${name}`,
    name: `files-${name}`,
    encodingFormat: PARQUET,
    includes,
  };
  return isPartitioned(name) ? [...objects, set] : objects;
}

function recordSet({ name: table, files, columns }: DescribedTable) {
  const source = isPartitioned(table)
    ? { fileSet: { "@id": `files-${table}` } }
    : { fileObject: { "@id": files[0]?.path } };
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

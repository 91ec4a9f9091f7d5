import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportMetadata } from "./exportMetadata.js";

const FORMATS: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  json: "application/json",
  md: "text/markdown",
  cff: "application/yaml",
};

/**
 * `ro-crate-metadata.json` in RO-Crate 1.2: the dataset and every file, as a flat graph of JSON-LD.
 *
 * @param files relative to `root`
 */
export function roCrate(root: string, files: readonly string[], metadata: ExportMetadata): string {
  const people = metadata.creators.map((name, at) => ({ "@id": `#creator-${at + 1}`, "@type": "Person", name }));
  const graph = [
    {
      "@id": "ro-crate-metadata.json",
      "@type": "CreativeWork",
      conformsTo: { "@id": "https://w3id.org/ro/crate/1.2" },
      about: { "@id": "./" },
    },
    {
      "@id": "./",
      "@type": "Dataset",
      name: metadata.title,
      description: metadata.description,
      datePublished: metadata.date,
      license: { "@id": "LICENSE.md" },
      creator: people.map(reference),
      hasPart: files.map((path) => ({ "@id": path })),
    },
    ...people,
    ...files.map((path) => fileEntity(root, path)),
  ];
  return `${JSON.stringify({ "@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph }, null, 2)}\n`;
}

function reference({ "@id": id }: { readonly "@id": string }) {
  return { "@id": id };
}

function fileEntity(root: string, path: string) {
  const bytes = readFileSync(join(root, path));
  return {
    "@id": path,
    "@type": "File",
    name: path,
    contentSize: String(bytes.length),
    encodingFormat: FORMATS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { readInside } from "../files.js";
import { corpusReadme } from "./codebook/corpusReadme.js";
import { type DescribedTable, describeTables } from "./codebook/describeTables.js";
import { tableResource } from "./codebook/tableResource.js";
import type { TableFile } from "./tableFiles.js";

const MAX_BYTES = 2 ** 28;

/**
 * Describes the tables of a corpus in `datapackage.json` (hashes, columns) and `README.md` (how to read them, codebook). Equal tables
 * give equal bytes, and nothing is written if nothing changed.
 */
export function publishPackage(dir: string, files: readonly TableFile[]): readonly DescribedTable[] {
  const tables = describeTables(dir, files);
  const resources = tables.filter((table) => table.files.length > 0).map(tableResource);
  const descriptor = {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    resources: [...resources, ...definitionResource(dir)],
  };
  writeIfOther(dir, "datapackage.json", `${JSON.stringify(descriptor, null, 2)}\n`);
  writeIfOther(dir, "README.md", corpusReadme(tables));
  return tables;
}

function writeIfOther(dir: string, name: string, text: string): void {
  let written: string | undefined;
  try {
    written = readInside(dir, name, MAX_BYTES)?.toString();
  } catch {
    // A link, for example. It is replaced.
  }
  if (written !== text) writeFileAtomic(join(dir, name), text);
}

/** `corpus.json`: the searches. */
function definitionResource(dir: string) {
  const bytes = readInside(dir, "corpus.json", MAX_BYTES);
  if (bytes === undefined) return [];
  return [
    {
      name: "corpus.json",
      path: "corpus.json",
      format: "json",
      mediatype: "application/json",
      encoding: "utf-8",
      bytes: bytes.length,
      hash: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
    },
  ];
}

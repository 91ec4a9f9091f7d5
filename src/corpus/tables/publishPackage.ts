import { createHash } from "node:crypto";
import { join } from "node:path";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { describeTables } from "./codebook/codebook.js";
import { corpusReadme } from "./codebook/corpusReadme.js";
import { tableResource } from "./codebook/tableResource.js";

const MAX_DEFINITION_BYTES = 2 ** 28;

/**
 * Describes the tables of a corpus in `datapackage.json` (hashes, columns) and `README.md` (how to read them, codebook). Equal tables
 * give equal bytes.
 *
 * @param dir the directory of the corpus; the caller holds its lock
 * @throws FileError if they cannot be written
 * @example
 * await publishPackage("inflation/");
 */
export async function publishPackage(dir: string): Promise<void> {
  const tables = describeTables(dir);
  const resources = tables.filter(({ files }) => files.length > 0).map(tableResource);
  const descriptor = {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    resources: [...resources, ...definitionResource(dir)],
  };
  writeFileAtomic(join(dir, "datapackage.json"), `${JSON.stringify(descriptor, null, 2)}\n`);
  writeFileAtomic(join(dir, "README.md"), corpusReadme(tables));
}

/** `corpus.json`: the searches. */
function definitionResource(dir: string) {
  try {
    const bytes = readReceivedFile(dir, "corpus.json", MAX_DEFINITION_BYTES);
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
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

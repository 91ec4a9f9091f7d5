import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { ArchiveError, type ErrorCode } from "../../errors/index.js";
import { checkedOptions, invalid, nameList, nonEmptyString } from "../../errors/validators.js";
import { writeZip, type ZipPart } from "../../files/writers/writeZip.js";
import { toFileError } from "../../fs/fileErrors.js";
import { userPath } from "../../fs/paths.js";
import { outputFile } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/lists.js";
import { pluralize } from "../../util/text.js";
import { corpusInfo } from "../corpusInfo.js";
import { checkedFile } from "../files.js";
import { damagedFiles, MANIFEST, readManifest } from "./tableFiles.js";

/** Options of `corpus.export`. */
export interface ExportOptions {
  /** Title of the dataset. Default: says how many mentions and searches it has. */
  title?: string | undefined;
  /** Names of the authors, `"Doe, Jane"`. Default: "The compilers of this corpus", to be replaced before publication. */
  creators?: readonly string[] | undefined;
}

export async function exportCorpus(dir: string, dest: string, options?: ExportOptions): Promise<string> {
  const citation = citationFile(dir, checkedOptions(options, ["title", "creators"], "option of export"));
  const expandedPath = userPath("dest", dest, "inflation.zip");
  const path = resolve(outputFile(expandedPath));
  if (!path.endsWith(".zip")) throw invalid("dest", dest, 'Give the path of a zip file, for example "inflation.zip".');
  const errorOf = (what: string, code: ErrorCode, hint: string) => new ArchiveError(what, { code, hint, path: dest });
  if (existsSync(path)) throw errorOf(`${dest} exists.`, "TARGET_IS_DIRECTORY", "Give a path that does not exist.");
  const manifest = readManifest(dir);
  const [damaged] = await damagedFiles(dir, manifest);
  if (damaged !== undefined)
    throw errorOf(`${damaged} is not what was published.`, "FILE_ERROR", "Wait for the run, or see corpus.verify().");
  const paths = ["corpus.json", MANIFEST, "README.md", ...manifest.map((file) => file.path)];
  const files = paths.map((name): ZipPart => [name, readParts(checkedFile(dir, name))]);
  const parts = [...files, ["CITATION.cff", citation] as const].sort(([a], [b]) => byCodeUnit(a, b));
  await writeZip(parts, { path }).catch((error) => {
    throw toFileError(error, dest);
  });
  return expandedPath;
}

/** Opens the file on the first read. */
async function* readParts(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 2 ** 20 });
}

/**
 * `CITATION.cff` in the Citation File Format 1.2. Every JSON string is a YAML string. The date is that of the last response, so that exports
 * are reproducible.
 *
 * @throws ValidationError if nothing was built
 */
function citationFile(dir: string, { title, creators }: ExportOptions): string {
  if (title !== undefined) nonEmptyString("title", title, "Mentions of inflation");
  if (creators !== undefined)
    for (const name of nameList("creators", creators, "Doe, Jane")) nonEmptyString("creators", name, "Doe, Jane");
  const { retrieved, mentions, searches, source } = corpusInfo(dir);
  if (retrieved === null) throw invalid("dir", dir, "Nothing was built there yet: await corpus.build() first.");
  const counts = `${pluralize(mentions, "mention")} from ${pluralize(searches, "search", "searches")}`;
  const what = `${counts} of an archive of television programs`;
  const authors = creators ?? ["The compilers of this corpus"];
  return `cff-version: 1.2.0
message: If you use this dataset, please cite it.
type: dataset
title: ${JSON.stringify(title ?? what)}
abstract: ${JSON.stringify(`${what} (${source}), as Parquet tables with a codebook.`)}
authors:
${authors.map((name) => `  - name: ${JSON.stringify(name)}`).join("\n")}
date-released: ${JSON.stringify(retrieved.last)}
`;
}

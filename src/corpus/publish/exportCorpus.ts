import { createReadStream, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { checkedOptions, invalid, nameList, nonEmptyString } from "../../errors/validators.js";
import { writeZip, type ZipPart } from "../../files/writers/writeZip.js";
import { toFileError } from "../../fs/fileErrors.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { pluralize } from "../../util/counts.js";
import { corpusInfo } from "../corpusInfo.js";
import { checkedFile, sha256OfFile } from "../files.js";
import { MANIFEST, readManifest } from "./manifest.js";
import { citationFile, type ExportMetadata } from "./packageFiles.js";

/** Options of `corpus.export`. */
export interface ExportOptions {
  /** Title of the dataset. Default: says how many mentions and searches it has. */
  title?: string | undefined;
  /** Names of the authors, `"Doe, Jane"`. Default: "The compilers of this corpus", to be replaced before publication. */
  creators?: readonly string[] | undefined;
}

/** See `corpus.export`. */
export async function exportCorpus(dir: string, dest: string, given?: ExportOptions): Promise<string> {
  const options: ExportOptions = checkedOptions(given, ["title", "creators"], "option of export");
  const path = resolve(outputFile(userPath("dest", dest, "inflation.zip")));
  if (!path.endsWith(".zip")) throw invalid("dest", dest, 'Give the path of a zip file, for example "inflation.zip".');
  const metadata = metadataOf(dir, options);
  if (existsSync(path)) {
    const hint = "Give a path that does not exist.";
    throw new ArchiveError(`${dest} exists.`, { code: "TARGET_IS_DIRECTORY", hint, path: dest });
  }
  try {
    await writeZip(await partsOf(dir, metadata), { path });
    return dest;
  } catch (error) {
    throw toFileError(error, dest);
  }
}

/** @throws ValidationError if nothing was built */
function metadataOf(dir: string, { title, creators }: ExportOptions): ExportMetadata {
  if (title !== undefined) nonEmptyString("title", title, "Mentions of inflation");
  if (creators !== undefined)
    for (const name of nameList("creators", creators, "Doe, Jane")) nonEmptyString("creators", name, "Doe, Jane");
  const { retrieved, mentions, searches, source } = corpusInfo(dir);
  if (retrieved === null) throw invalid("dir", dir, "Nothing was built there yet: await corpus.build() first.");
  const counts = `${pluralize(mentions, "mention")} from ${pluralize(searches, "search", "searches")}`;
  return {
    title: title ?? `${counts} of an archive of television programs`,
    description: `${counts} of an archive of television programs (${source}), as Parquet tables with a codebook.`,
    creators: creators ?? ["The compilers of this corpus"],
    date: retrieved.last,
  };
}

/** The files of an export, in order, so that equal tables give equal bytes. */
async function partsOf(dir: string, metadata: ExportMetadata): Promise<ZipPart[]> {
  const files = readManifest(dir);
  for (const { path, hash } of files)
    if ((await sha256OfFile(dir, path)) !== hash)
      throw new ArchiveError(`${join(dir, path)} is not the file that was published.`, {
        code: "FILE_ERROR",
        hint: "Wait until no run is publishing. If corpus.verify() reports it then, build the corpus again.",
        path: join(dir, path),
      });
  const paths = ["corpus.json", MANIFEST, "README.md", ...files.map(({ path }) => path)];
  const parts = paths.map((path): ZipPart => [path, readParts(checkedFile(dir, path))]);
  return [...parts, ["CITATION.cff", citationFile(metadata)] as const].sort(([a], [b]) => byCodeUnit(a, b));
}

/** Opens the file when its turn comes. */
async function* readParts(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 2 ** 20 });
}

import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ArchiveError } from "../../errors/index.js";
import { checkedOptions, invalid, nameList, nonEmptyString } from "../../errors/validators.js";
import { writeZip, type ZipPart } from "../../files/writers/writeZip.js";
import { pl } from "../../frames/polars.js";
import { toFileError } from "../../fs/fileErrors.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/receivedFile.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { pluralize } from "../../util/counts.js";
import { sha256Of } from "../../util/sha256Of.js";
import { readDefinition } from "../definition/definition.js";
import { filesBelow } from "../files.js";
import { citationFile, type ExportMetadata, publishPackage } from "./packageFiles.js";
import {
  INDEX,
  readIndex,
  rowsOfTables,
  singleTable,
  type TableFile,
  type TablesIndex,
  tableOf,
} from "./tableFiles.js";

/** Options of `corpus.export`. */
export interface ExportOptions {
  /** Title of the dataset. Default: says how many mentions and searches it has. */
  title?: string | undefined;
  /** Names of the authors, `"Doe, Jane"`. Default: "The compilers of this corpus", to be replaced before publication. */
  creators?: readonly string[] | undefined;
}

export async function exportCorpus(dir: string, dest: string, given?: ExportOptions): Promise<string> {
  const options: ExportOptions = checkedOptions(given, ["title", "creators"], "option of export");
  const target = resolve(outputFile(userPath("dest", dest, "inflation.zip")));
  const metadata = metadataOf(dir, options);
  if (existsSync(target)) {
    const hint = "Give a path that does not exist.";
    throw new ArchiveError(`${dest} exists.`, { code: "TARGET_IS_DIRECTORY", hint, path: dest });
  }
  const staging = `${target}.${randomUUID()}.partial`;
  try {
    fill(dir, staging, metadata);
    renameSync(target.endsWith(".zip") ? await zipFile(staging) : staging, target);
    return dest;
  } catch (error) {
    throw toFileError(error, dest);
  } finally {
    if (existsSync(staging)) rmSync(staging, { recursive: true });
  }
}

/** @throws ValidationError if there is no corpus, or nothing was built */
function metadataOf(dir: string, { title, creators }: ExportOptions): ExportMetadata {
  if (title !== undefined) nonEmptyString("title", title, "Mentions of inflation");
  if (creators !== undefined)
    for (const name of nameList("creators", creators, "Doe, Jane")) nonEmptyString("creators", name, "Doe, Jane");
  const definition = readDefinition(dir);
  const [date] = singleTable(dir, "searches").select(pl.col("retrieved").cast(pl.String).max()).row(0) ?? [];
  if (definition === undefined || typeof date !== "string")
    throw invalid("dir", dir, "Nothing was built there yet: await corpus.build() first.");
  const { source, searches } = definition;
  const counts = `${pluralize(rowsOfTables(dir).mentions, "mention")} from ${pluralize(searches.length, "search", "searches")}`;
  return {
    title: title ?? `${counts} of an archive of television programs`,
    description: `${counts} of an archive of television programs (${source}), as Parquet tables with a codebook.`,
    creators: creators ?? ["The compilers of this corpus"],
    date,
  };
}

function fill(dir: string, staging: string, metadata: ExportMetadata): void {
  makeDirectory(staging);
  const index = copyTables(dir, staging);
  const write = (name: string, content: string | Uint8Array) => writeFileAtomic(join(staging, name), content);
  write(INDEX, `${JSON.stringify(index, null, 1)}\n`);
  write("corpus.json", readReceivedFile(dir, "corpus.json", 2 ** 32));
  publishPackage(staging, index.files);
  write("CITATION.cff", citationFile(metadata));
}

/** Runs that publish while the tables are copied. */
const MAX_TRIALS = 5;

/** Copies the tables that belong together: if a run publishes others meanwhile, it begins again. */
function copyTables(dir: string, staging: string): TablesIndex {
  for (let trial = 1; ; trial++) {
    const index = readIndex(dir) as TablesIndex;
    rmSync(join(staging, "tables"), { recursive: true, force: true });
    const files = index.files.filter(({ path }) => tableOf(path) !== "runs");
    try {
      for (const file of files) copyTable(dir, staging, file);
      return { ...index, failed: [], files };
    } catch (error) {
      if (trial === MAX_TRIALS) throw error;
    }
  }
}

function copyTable(dir: string, staging: string, { path, sha256 }: TableFile): void {
  const to = join(staging, path);
  makeDirectory(dirname(to));
  const bytes = readReceivedFile(dir, path, 2 ** 32);
  if (sha256Of(bytes) !== sha256) throw new Error(`${path} is not the file that was published.`);
  writeFileSync(to, bytes);
}

/** Zips the files of a directory, in order and with a constant time, so that equal files give equal bytes. */
async function zipFile(root: string): Promise<string> {
  const parts = filesBelow(root).map((file): ZipPart => [file, readParts(join(root, file))]);
  const path = join(root, `${randomUUID()}.zip`);
  await writeZip(parts, { path });
  return path;
}

/** Opens the file when its turn comes. */
async function* readParts(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 2 ** 20 });
}

import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { FileError } from "../../errors/index.js";
import { checkedOptions, invalid, nameList, nonEmptyString } from "../../errors/validators.js";
import { writeCsv } from "../../files/writers/textWriters.js";
import { writeWorkbook } from "../../files/writers/xlsx/workbook.js";
import { writeZip, type ZipPart } from "../../files/writers/xlsx/writeZip.js";
import { pl } from "../../frames/polars.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { pluralize } from "../../util/counts.js";
import { sha256Of } from "../../util/sha256Of.js";
import { readDefinition } from "../definition/definition.js";
import { filesBelow } from "../files.js";
import { codebook } from "./codebook.js";
import { writeIdsOnly } from "./hydrateCorpus.js";
import {
  citationFile,
  croissant,
  type ExportMetadata,
  licenseNote,
  publishPackage,
  roCrate,
  zenodoMetadata,
} from "./packageFiles.js";
import { TABLES } from "./tableColumns.js";
import {
  filesOf,
  INDEX,
  readIndex,
  readPart,
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
  /** Leave out all text: only ids, times and numbers, for archives whose terms forbid sharing text. Default false. */
  idsOnly?: boolean | undefined;
  /** Add each table as one CSV file, `csv/mentions.csv`, for programs that do not read Parquet. Default false. */
  csv?: boolean | undefined;
  /** Add `.zenodo.json`, the metadata that Zenodo reads. Default false. */
  zenodo?: boolean | undefined;
}

export async function exportCorpus(dir: string, dest: string, given?: ExportOptions): Promise<string> {
  const options: ExportOptions = checkedOptions(
    given,
    ["title", "creators", "idsOnly", "csv", "zenodo"],
    "option of export",
  );
  const target = resolve(outputFile(userPath("dest", dest, "inflation.zip")));
  const metadata = metadataOf(dir, options);
  if (existsSync(target)) {
    const hint = "Give a path that does not exist.";
    throw new FileError(`${dest} exists.`, { code: "TARGET_IS_DIRECTORY", hint, path: dest });
  }
  const staging = `${target}.${randomUUID()}.partial`;
  try {
    await fill(dir, staging, metadata, options);
    const [extension, write] = Object.entries(SINGLE_FILES).find(([end]) => target.endsWith(end)) ?? [];
    const file = extension === undefined ? staging : join(staging, `${randomUUID()}${extension}`);
    await write?.(staging, file);
    renameSync(file, target);
    return dest;
  } catch (error) {
    throw toFileError(error, dest);
  } finally {
    if (existsSync(staging)) rmSync(staging, { recursive: true });
  }
}

/** @throws ValidationError if there is no corpus, or nothing was built */
function metadataOf(dir: string, { title, creators, idsOnly = false }: ExportOptions): ExportMetadata {
  if (title !== undefined) nonEmptyString("title", title, "Mentions of inflation");
  if (creators !== undefined)
    for (const name of nameList("creators", creators, "Doe, Jane")) nonEmptyString("creators", name, "Doe, Jane");
  const definition = readDefinition(dir);
  const [date] = singleTable(dir, "searches").select(pl.col("retrieved").cast(pl.String).max()).row(0) ?? [];
  if (definition === undefined || typeof date !== "string")
    throw invalid("dir", dir, "Nothing was built there yet: await corpus.build() first.");
  const { source, searches } = definition;
  const counts = `${pluralize(rowsOfTables(dir).mentions, "mention")} from ${pluralize(searches.length, "search", "searches")}`;
  const what = idsOnly
    ? "Ids, times and numbers only: the text of the mentions is left out."
    : "With the captions of what was said.";
  return {
    title: title ?? `${counts} of an archive of television programs`,
    description: `${counts} of an archive of television programs (${source}), as Parquet tables with a codebook. ${what}`,
    creators: creators ?? ["The compilers of this corpus"],
    source,
    date,
    isIdsOnly: idsOnly,
  };
}

/** Exports that are one file, which is made of the files of the directory. */
const SINGLE_FILES: Readonly<Record<string, (staging: string, file: string) => Promise<void>>> = {
  ".zip": zipFile,
  ".xlsx": workbook,
};

async function fill(dir: string, staging: string, metadata: ExportMetadata, options: ExportOptions): Promise<void> {
  makeDirectory(staging);
  const index = copyTables(dir, staging, metadata.isIdsOnly);
  const write = (name: string, content: string | Uint8Array) => writeFileAtomic(join(staging, name), content);
  write(INDEX, `${JSON.stringify(index, null, 1)}\n`);
  write("corpus.json", readReceivedFile(dir, "corpus.json", 2 ** 32));
  const tables = publishPackage(staging, index.files);
  write("CITATION.cff", citationFile(metadata));
  write("LICENSE.md", licenseNote(metadata));
  write("croissant.json", croissant(tables, metadata));
  if (options.csv) await csvFiles(staging);
  if (options.zenodo) write(".zenodo.json", zenodoMetadata(metadata));
  write("ro-crate-metadata.json", roCrate(staging, filesBelow(staging), metadata));
}

/** Runs that publish while the tables are copied. */
const MAX_TRIALS = 5;

/** Copies the tables that belong together: if a run publishes others meanwhile, it begins again. */
function copyTables(dir: string, staging: string, isIdsOnly: boolean): TablesIndex {
  for (let trial = 1; ; trial++) {
    const index = readIndex(dir) as TablesIndex;
    rmSync(join(staging, "tables"), { recursive: true, force: true });
    const files = index.files.filter(({ path }) => tableOf(path) !== "runs");
    try {
      return { ...index, failed: [], files: files.map((file) => copyTable(dir, staging, file, isIdsOnly)) };
    } catch (error) {
      if (trial === MAX_TRIALS) throw error;
    }
  }
}

function copyTable(dir: string, staging: string, file: TableFile, isIdsOnly: boolean): TableFile {
  const { path } = file;
  const to = join(staging, path);
  makeDirectory(dirname(to));
  const bytes = readReceivedFile(dir, path, 2 ** 32);
  if (sha256Of(bytes) !== file.sha256) throw new Error(`${path} is not the file that was published.`);
  if (!isIdsOnly || tableOf(path) === "searches") {
    writeFileSync(to, bytes);
    return file;
  }
  const frame = writeIdsOnly(dir, path, to);
  const written = readFileSync(to);
  const nulls = Object.fromEntries(frame.getColumns().map((column) => [column.name, column.nullCount()]));
  return { path, rows: frame.height, bytes: written.length, sha256: sha256Of(written), nulls };
}

/** In order and with a constant time, so that equal files give equal bytes. */
function zipFile(root: string, path: string): Promise<void> {
  const parts = filesBelow(root).map((file): ZipPart => [file, readParts(join(root, file))]);
  return writeZip(parts, { path });
}

/** Opens the file when its turn comes. */
async function* readParts(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 2 ** 20 });
}

async function csvFiles(dir: string): Promise<void> {
  makeDirectory(join(dir, "csv"));
  for (const { name, frames } of filledTables(dir))
    await writeCsv(frames, { path: join(dir, "csv", `${name}.csv`), scratch: dir, name }, {});
}

/** A sheet for each table that has rows, then one with the codebook. */
function workbook(dir: string, path: string): Promise<void> {
  return writeWorkbook([...filledTables(dir), { name: "codebook", frames: [codebook(dir)] }], { path });
}

function filledTables(dir: string) {
  async function* frames(paths: readonly string[]) {
    for (const path of paths) yield readPart(dir, path);
  }
  return TABLES.map((name) => ({ name, files: filesOf(dir, name) }))
    .filter(({ files }) => files.length > 0)
    .map(({ name, files }) => ({ name, frames: frames(files) }));
}

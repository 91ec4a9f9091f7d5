import { createHash, randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { FileError } from "../../errors/index.js";
import { checkedOptions, invalid, nonEmptyString } from "../../errors/validators.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { userPath } from "../../fs/userPath.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { filesBelow } from "../files.js";
import { citationFile, licenseNote, zenodoMetadata } from "./citationFiles.js";
import { corpusWorkbook } from "./corpusWorkbook.js";
import { croissant } from "./croissant.js";
import { describeExport, type ExportMetadata, type ExportOptions } from "./exportMetadata.js";
import { copyIdsOnly } from "./idsOnly.js";
import { publishPackage } from "./publishPackage.js";
import { roCrate } from "./roCrate.js";
import { INDEX, readIndex, type TableFile, type TablesIndex, tableOf } from "./tableFiles.js";
import { zipDirectory } from "./zipDirectory.js";

/**
 * Copies a corpus for others: the tables, `README.md` with the codebook, `datapackage.json`, `CITATION.cff`, `ro-crate-metadata.json`
 * (RO-Crate 1.2), `croissant.json` (Croissant 1.0) and a note on the licence. Or as an Excel workbook: a sheet for each table, and one
 * with the codebook. Two exports of the same tables are the same bytes.
 *
 * @param dir the directory of the corpus
 * @param dest a directory, or a file that ends in `.zip` or `.xlsx`; it must not exist
 * @returns `dest`
 * @throws ValidationError for invalid options or an empty corpus; FileError if `dest` exists or cannot be written
 * @example
 * await exportCorpus("inflation/", "inflation.zip", { creators: ["Doe, Jane"], zenodo: true }); //=> "inflation.zip"
 */
export async function exportCorpus(dir: string, dest: string, given?: ExportOptions): Promise<string> {
  const options: ExportOptions = checkedOptions(given, ["title", "creators", "idsOnly", "zenodo"], "option of export");
  const target = resolve(userPath("dest", dest, "inflation.zip"));
  checkNames(options);
  if (existsSync(target)) throw exists(dest);
  const staging = `${target}.${randomUUID()}.partial`;
  try {
    const metadata = describeExport(dir, options);
    await fill(dir, staging, metadata, options);
    const single = SINGLE_FILES.find(([extension]) => target.endsWith(extension));
    if (single === undefined) renameSync(staging, target);
    else {
      const [extension, write] = single;
      const file = join(staging, `${randomUUID()}${extension}`);
      await write(staging, file);
      renameSync(file, target);
    }
    return dest;
  } catch (error) {
    throw toFileError(error, dest);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Runs that publish while the tables are copied. */
const MAX_TRIALS = 5;

type WriteSingleFile = (staging: string, file: string) => Promise<void>;

/** Exports that are one file, which is made of the files of the directory. */
const SINGLE_FILES: ReadonlyArray<readonly [extension: string, write: WriteSingleFile]> = [
  [".zip", (staging, file) => zipDirectory(staging, filesBelow(staging), file)],
  [".xlsx", corpusWorkbook],
];

async function fill(dir: string, staging: string, metadata: ExportMetadata, options: ExportOptions): Promise<void> {
  makeDirectory(staging);
  const index = copyTables(dir, staging, options.idsOnly === true);
  writeFileAtomic(join(staging, INDEX), `${JSON.stringify(index, null, 1)}\n`);
  copyFileSync(join(dir, "corpus.json"), join(staging, "corpus.json"));
  const tables = publishPackage(staging, index.files);
  const write = (name: string, content: string) => writeFileAtomic(join(staging, name), content);
  write("CITATION.cff", citationFile(metadata));
  write("LICENSE.md", licenseNote(metadata));
  write("croissant.json", croissant(tables, metadata));
  if (options.zenodo) write(".zenodo.json", zenodoMetadata(metadata));
  write("ro-crate-metadata.json", roCrate(staging, filesBelow(staging), metadata));
}

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
  const frame = copyIdsOnly(dir, staging, path);
  const written = readFileSync(to);
  const nulls = frame.getColumns().map((column) => column.nullCount());
  return { path, rows: frame.height, bytes: written.length, sha256: sha256Of(written), nulls };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function checkNames({ title, creators }: ExportOptions): void {
  if (title !== undefined) nonEmptyString("title", title, "Mentions of inflation");
  if (creators === undefined) return;
  const areNames =
    Array.isArray(creators) &&
    creators.length > 0 &&
    creators.every((name) => typeof name === "string" && name.trim() !== "");
  if (!areNames) throw invalid("creators", creators, 'Give a list of names, for example creators: ["Doe, Jane"].');
}

function exists(dest: string): FileError {
  return new FileError(`${dest} exists.`, {
    code: "TARGET_IS_DIRECTORY",
    hint: "Give a path that does not exist.",
    path: dest,
  });
}

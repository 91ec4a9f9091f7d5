import { randomUUID } from "node:crypto";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { toFileError } from "../fs/toFileError.js";
import { keepMode } from "../fs/writeFileAtomic.js";
import { readPacked } from "./bodyFiles.js";
import { readIndexes } from "./indexFile.js";
import { verifySnapshot } from "./verifySnapshot.js";

/**
 * Verifies a snapshot and packs it into one zip file, which can be unpacked and replayed anywhere. The same snapshot gives the same bytes.
 *
 * @param dir directory of the snapshot
 * @param file the zip file to write; an existing file is replaced
 * @returns the path of the file
 * @throws SnapshotError if it is missing or damaged, FileError if the file cannot be written
 * @example
 * await packSnapshot("study/", "study.zip"); //=> "study.zip"
 */
export async function packSnapshot(dir: string, file: string): Promise<string> {
  const [problem] = (await verifySnapshot(dir)).problems;
  if (problem !== undefined) throw problem;
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  // Fixed metadata, independent of the clock and the time zone.
  const metadata = { mtime: new Date(1980, 0, 2), mode: 0o100644, forceDosTimestamp: true };
  const indexes = readIndexes(dir);
  for (const { file, content } of indexes) zip.addBuffer(content, file, metadata);
  const responses = indexes.flatMap((index) => index.responses);
  const bodies = new Map(responses.map((response) => [response.file, response]));
  for (const [name, response] of [...bodies].sort(([a], [b]) => (a < b ? -1 : 1))) {
    zip.addReadStreamLazy(name, { ...metadata, compress: false }, (ready) => {
      try {
        ready(null, Readable.from([readPacked(dir, response)]));
      } catch (error) {
        output.destroy(error as Error);
      }
    });
  }
  zip.end();
  // An unpredictable name, so that nobody can plant a link there.
  const partial = join(dirname(file), `.archive-frames-${randomUUID()}`);
  try {
    await pipeline(output, createWriteStream(partial, { flags: "wx" }));
    keepMode(partial, file);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw toFileError(error, file);
  }
  return file;
}

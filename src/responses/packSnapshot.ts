import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openReceivedFile } from "../fs/readReceivedFile.js";
import { toFileError } from "../fs/toFileError.js";
import { keepMode } from "../fs/writeFileAtomic.js";
import { storedFileNames } from "./responseStore.js";
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
  const metadata = { mtime: new Date(1980, 0, 2), mode: 0o100644, forceDosTimestamp: true, compress: false };
  for (const name of storedFileNames(dir)) {
    zip.addReadStreamLazy(name, metadata, (ready) => {
      try {
        ready(null, createReadStream("", { fd: openReceivedFile(dir, name) }));
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

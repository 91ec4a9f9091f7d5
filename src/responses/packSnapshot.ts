import { randomUUID } from "node:crypto";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SnapshotError } from "../errors/index.js";
import { toFileError } from "../fs/toFileError.js";
import { keepMode } from "../fs/writeFileAtomic.js";
import { readPacked } from "./bodyFiles.js";
import { indexNames, readIndexBytes, readIndexes } from "./indexFile.js";
import type { StoredResponse } from "./line.js";
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
  const { problems } = await verifySnapshot(dir);
  if (problems[0] instanceof SnapshotError) throw problems[0];
  // Read before listing the bodies: another client may be recording.
  const indexes = indexNames(dir).map((name) => [`index/${name}`, readIndexBytes(dir, `index/${name}`)] as const);
  // Include replaced responses: the indexes name their bodies.
  const responses = readIndexes(dir).flatMap((index) => index.responses);
  const bodies = new Map(responses.map((response) => [response.file, response]));
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  // Fixed metadata, independent of the clock and the time zone.
  const metadata = { mtime: new Date(1980, 0, 2), mode: 0o100644, forceDosTimestamp: true };
  for (const [name, bytes] of indexes) zip.addBuffer(bytes, name, metadata);
  for (const name of [...bodies.keys()].sort()) {
    const options = { ...metadata, compress: false };
    zip.addReadStreamLazy(name, options, (ready) => {
      try {
        ready(null, Readable.from([readPacked(dir, bodies.get(name) as StoredResponse)]));
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

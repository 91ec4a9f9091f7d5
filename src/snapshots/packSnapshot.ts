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
import type { StoredAnswer } from "./indexLine.js";
import { verifySnapshot } from "./verifySnapshot.js";

/**
 * Puts a snapshot into one zip file, to send to somebody: unpacked anywhere, it can be replayed. It is verified before, and the
 * same snapshot gives the same bytes.
 *
 * @param dir its folder
 * @param file the zip file to write; one that is there is replaced
 * @returns the path of the file
 * @throws SnapshotError where it is not intact, FileError where the file cannot be written
 * @example
 * await packSnapshot("study/", "study.zip"); //=> "study.zip"
 */
export async function packSnapshot(dir: string, file: string): Promise<string> {
  const { faults } = await verifySnapshot(dir);
  if (faults[0] instanceof SnapshotError) throw faults[0];
  // Read before the bodies are counted: whoever records meanwhile may add to them.
  const indexes = indexNames(dir).map((name) => [`index/${name}`, readIndexBytes(dir, `index/${name}`)] as const);
  // Also those that a newer answer has taken the place of: the indexes name them.
  const answers = readIndexes(dir).flatMap((index) => index.answers);
  const bodies = new Map(answers.map((answer) => [answer.file, answer]));
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  // No time of now, nor one that depends on the zone of the machine.
  const same = { mtime: new Date(1980, 0, 2), mode: 0o100644, forceDosTimestamp: true };
  for (const [name, bytes] of indexes) zip.addBuffer(bytes, name, same);
  for (const name of [...bodies.keys()].sort()) {
    const options = { ...same, compress: false };
    zip.addReadStreamLazy(name, options, (ready) => {
      try {
        ready(null, Readable.from([readPacked(dir, bodies.get(name) as StoredAnswer)]));
      } catch (error) {
        output.destroy(error as Error);
      }
    });
  }
  zip.end();
  // A name that nobody else can prepare a link at.
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

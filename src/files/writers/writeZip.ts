import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { type NewFile, writeNewFile } from "../frameWriter.js";

/** The name and content of a file in a zip file. Streams are read one after another. */
export type ZipPart = readonly [name: string, content: string | AsyncIterable<Buffer>];

/** Creates a zip file. Equal parts give equal bytes. */
export async function writeZip(parts: Iterable<ZipPart> | AsyncIterable<ZipPart>, target: NewFile): Promise<void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  // The reader, which may start later, gets the error.
  output.on("error", () => undefined);
  zip.on("error", (error: Error) => output.destroy(error));
  let current: Readable | undefined;
  const add = async (): Promise<void> => {
    for await (const [name, content] of parts) {
      if (output.destroyed) return;
      if (typeof content === "string") {
        zip.addBuffer(Buffer.from(content), name, constantTime());
        continue;
      }
      current = Readable.from(content, { objectMode: false });
      zip.addReadStream(current, name, constantTime());
      await finished(current);
    }
    zip.end();
  };
  const added = add().catch((error: Error) => output.destroy(error));
  try {
    await writeNewFile(output, target);
  } finally {
    // After a failure nothing else would end the streams.
    output.destroy();
    current?.destroy();
    await added;
  }
}

/** A constant time in every time zone. */
function constantTime() {
  // The second day, because yazl writes local time and clamps it to a first day computed in the time zone at load.
  return { mtime: new Date(1980, 0, 2), forceDosTimestamp: true };
}

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { ZipOutput } from "../../files/writers/xlsx/zipOutput.js";

/** Writes files into a zip file, in this order and with a constant time, so that equal files give equal bytes. */
export async function zipDirectory(root: string, files: readonly string[], path: string): Promise<void> {
  const zip = new ZipOutput({ path });
  try {
    for (const file of files) {
      zip.begin(file);
      for await (const bytes of createReadStream(join(root, file), { highWaterMark: 2 ** 20 }))
        await zip.write(bytes as Buffer);
      zip.close();
    }
    await zip.end();
  } catch (error) {
    await zip.abort();
    throw error;
  }
}

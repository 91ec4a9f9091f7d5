import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { contextOf } from "../call/clientContext.js";
import type { ArchiveClient } from "../client.js";
import { faulty, oneOf } from "../errors/validators.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/directories.js";
import { type SaveOptions, saveOperation, streamOperation } from "../scan/saveOperation.js";
import type { OperationName } from "../service/operations/operations.js";
import { escapedLines } from "../util/text.js";
import { outputStream } from "./print.js";

const FORMATS = ["jsonl", "csv"] as const;
/** Options of `save` that do not apply to a format on standard output. */
const INAPPLICABLE = { csv: ["filename", "resume"], jsonl: ["filename", "resume", "bom", "excelSafe"] } as const;

/**
 * Writes the rows of an operation to standard output: JSON Lines page by page, as sent; other columns and CSV, which need all rows, by
 * way of a temporary file. Stops when standard output cannot be written, which `reportOutputErrors` reports.
 *
 * @throws ValidationError for another format, and for an option that does not apply to it
 */
export async function saveToOutput(
  archive: ArchiveClient,
  operation: OperationName,
  options: SaveOptions,
): Promise<void> {
  const format = oneOf("format", options.format ?? "jsonl", FORMATS);
  for (const name of INAPPLICABLE[format])
    if (options[name] !== undefined) {
      const hint = "Leave it out, or give the path of a file.";
      throw faulty(name, `it does not apply to ${format} on standard output`, hint);
    }
  const client = contextOf(archive);
  if (format === "jsonl" && options.columns === undefined)
    return writeOutput(streamOperation(client, operation, { ...options, format }));
  const directory = temporaryDirectory();
  try {
    const path = join(directory, `rows.${format}`);
    await saveOperation(client, operation, path, { ...options, format, dataPackage: false }, true);
    await writeOutput(createReadStream(path));
  } finally {
    removeTemporaryDirectory(directory);
  }
}

/** On a terminal, it escapes control characters. */
async function writeOutput(chunks: AsyncIterable<Buffer | string>): Promise<void> {
  const output = outputStream();
  let failure: Error | undefined;
  const onError = (error: Error): void => {
    failure ??= error;
  };
  output.on("error", onError);
  try {
    for await (const bytes of chunks) {
      const sent = output.isTTY ? escapedLines(String(bytes)) : bytes;
      if (failure === undefined && !output.write(sent)) await once(output, "drain");
      // Write errors are reported in the next turn of the event loop.
      await new Promise(setImmediate);
      if (failure !== undefined) return;
    }
  } catch (error) {
    if (error !== failure) throw error;
  } finally {
    output.off("error", onError);
  }
}

import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { contextOf } from "../call/clientContext.js";
import type { ArchiveClient } from "../client.js";
import { faulty } from "../errors/validators.js";
import type { SaveFormat } from "../files/saveFormat.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../fs/temporaryDirectory.js";
import { type SaveOptions, type StreamFormat, saveOperation, streamOperation } from "../scan/saveOperation.js";
import type { OperationName } from "../service/operations/operations.js";
import { escapedLines } from "../util/quoted.js";
import { outputStream } from "./print.js";

/** Options that apply only to files, and options that do not apply to JSON. */
const FILE_ONLY = ["filename", "resume"] as const;
const NOT_JSON = ["bom", "excelSafe"] as const;
const BINARY: readonly OutputFormat[] = ["xlsx", "parquet", "arrow", "arrow-stream"];

/** A format for standard output. Files use `arrow` instead of an Arrow stream, because it allows random access. */
export type OutputFormat = SaveFormat | "arrow-stream";

export type OutputOptions = Omit<SaveOptions, "format"> & { readonly format?: OutputFormat | undefined };

/**
 * Checks the options of `save -o -`.
 *
 * @returns the format; default JSON Lines
 * @throws ValidationError for an option that applies only to files, and for a binary format on a terminal
 */
export function checkOutputOptions(options: OutputOptions): OutputFormat {
  const { format = "jsonl" } = options;
  const given = [...FILE_ONLY, ...(isJson(format) ? NOT_JSON : [])].find((name) => options[name] !== undefined);
  if (given !== undefined) {
    const hint = "Leave it out, or give the path of a file.";
    throw faulty(given, `it does not apply to ${format} on standard output`, hint);
  }
  if (BINARY.includes(format) && outputStream().isTTY) {
    const hint = "Redirect it to a file or a program.";
    throw faulty("format", `${format} is not text, and standard output is a terminal`, hint);
  }
  return format;
}

/**
 * Writes the result of an operation to standard output. JSON, JSON Lines and Arrow are streamed page by page; the other formats need all
 * rows and use a temporary file. Stops when standard output cannot be written, which `reportOutputErrors` reports.
 */
export async function saveToOutput(
  archive: ArchiveClient,
  operation: OperationName,
  options: OutputOptions,
): Promise<void> {
  const format = checkOutputOptions(options);
  const { format: _format, ...rest } = options;
  const client = contextOf(archive);
  const output = new StandardOutput();
  const directory = temporaryDirectory();
  try {
    if (isStreamed(format, rest)) return await output.write(streamOperation(client, operation, format, rest));
    const path = join(directory, `rows.${format}`);
    await saveOperation(client, operation, path, { ...rest, format, dataPackage: false }, true);
    await output.write(createReadStream(path));
  } catch (error) {
    if (error !== output.error) throw error;
  } finally {
    output.release();
    removeTemporaryDirectory(directory);
  }
}

function isJson(format: OutputFormat): boolean {
  return format === "json" || format === "jsonl";
}

/** JSON is streamed as sent, so it needs all columns. */
function isStreamed(format: OutputFormat, { columns }: OutputOptions): format is StreamFormat {
  return format === "arrow-stream" || (isJson(format) && columns === undefined);
}

/** Standard output. On a terminal, it escapes control characters. */
class StandardOutput {
  readonly #stream = outputStream();
  /** Why it cannot be written. */
  error: Error | undefined;

  constructor() {
    this.#stream.on("error", this.#onError);
  }

  readonly #onError = (error: Error): void => {
    this.error ??= error;
  };

  /** @throws `error` */
  async write(chunks: AsyncIterable<Buffer | string>): Promise<void> {
    for await (const bytes of chunks) await this.#send(bytes);
  }

  release(): void {
    this.#stream.off("error", this.#onError);
  }

  async #send(bytes: Buffer | string): Promise<void> {
    const sent = this.#stream.isTTY ? escapedLines(String(bytes)) : bytes;
    if (this.error === undefined && !this.#stream.write(sent)) await once(this.#stream, "drain");
    // Write errors are reported in the next turn of the event loop.
    await new Promise(setImmediate);
    if (this.error !== undefined) throw this.error;
  }
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextOf } from "../call/clientContext.js";
import type { ArchiveClient } from "../client.js";
import { ValidationError } from "../errors/index.js";
import { option, wording } from "../errors/wording.js";
import type { SaveFormat } from "../files/saveFormat.js";
import { type SaveOptions, saveOperation, streamOperation } from "../scan/saveOperation.js";
import type { OperationName } from "../service/operations/operations.js";
import { outputStream } from "./print.js";
import { StandardOutput } from "./standardOutput.js";

/** Options that only a file can have, and those of other formats than JSON. */
const FILE_ONLY = ["filename", "resume", "partitionBy"] as const;
const NOT_JSON = ["bom", "excelSafe", "overflow"] as const;
const BINARY: readonly SaveFormat[] = ["xlsx", "parquet", "arrow"];

/**
 * Checks the options of `save -o -`.
 *
 * @returns the format, JSON Lines by default
 * @throws ValidationError for an option that only a file can have, and for bytes on a terminal
 */
export function checkOutputOptions(options: SaveOptions): SaveFormat {
  const { format = "jsonl" } = options;
  const given = [...FILE_ONLY, ...(isJson(format) ? NOT_JSON : [])].find((name) => options[name] !== undefined);
  if (given !== undefined) {
    throw new ValidationError(wording`invalid ${option(given)}: it does not apply to ${format} on standard output.`, {
      hint: "Leave it out, or give the path of a file.",
      parameter: given,
    });
  }
  if (BINARY.includes(format) && outputStream().isTTY) {
    throw new ValidationError(
      wording`invalid ${option("format")}: ${format} is not text, and standard output is a terminal.`,
      {
        hint: "Redirect it to a file or a program.",
        parameter: "format",
      },
    );
  }
  return format;
}

/**
 * Writes the result of an operation to standard output. JSON and JSON Lines go out page by page. The other formats need all rows before
 * their columns are known, so they go through a temporary file.
 *
 * @throws OutputClosed if the reader has closed it
 */
export async function saveToOutput(
  archive: ArchiveClient,
  operation: OperationName,
  options: SaveOptions,
): Promise<void> {
  const client = contextOf(archive);
  const format = checkOutputOptions(options);
  const output = new StandardOutput();
  if (isJson(format)) return streamOperation(client, operation, output, format, options);
  const directory = await mkdtemp(join(tmpdir(), "archive-frames-"));
  try {
    const path = join(directory, `rows.${format}`);
    await saveOperation(client, operation, path, { ...options, format, dataPackage: false }, true);
    await output.copy(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function isJson(format: SaveFormat): format is "json" | "jsonl" {
  return format === "json" || format === "jsonl";
}

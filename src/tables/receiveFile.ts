import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify, TextDecoder } from "node:util";
import { gunzip } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { invalid } from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import { openInputFile } from "../fs/receivedFile.js";
import type { Fields } from "./fields.js";

/** A private copy of a file, which nobody can replace while it is read. */
interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** `sha256:…` */
  readonly hash: string;
}

/** 256 MiB or 200 times the size of the file, whichever is larger. */
export function maxDecompressedBytes(bytes: number): number {
  return Math.max(2 ** 28, 200 * bytes);
}

/** Copies a file named by the user. @throws ArchiveError if it is not a regular file, or cannot be read */
export async function receiveFile(path: string, directory: string): Promise<ReceivedFile> {
  const fd = openInputFile(path);
  const hash = createHash("sha256");
  let bytes = 0;
  async function* countBytes(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const target = join(directory, "input");
  await pipeline(createReadStream("", { fd }), countBytes, createWriteStream(target, { mode: 0o600 }));
  return { path: target, bytes, hash: `sha256:${hash.digest("hex")}` };
}

/**
 * Converts a text file to UTF-8: decompresses gzip, and decodes it by its byte-order mark or the given encoding.
 *
 * @throws ValidationError for an unknown encoding; Error if the file cannot be decompressed or decoded
 */
export async function utf8File({ path, bytes }: ReceivedFile, encoding: string | undefined): Promise<string> {
  const mark = (await readStart(path, 3)).toString("hex");
  if (mark.startsWith("1f8b")) {
    const text = await promisify(gunzip)(await readFile(path), { maxOutputLength: maxDecompressedBytes(bytes) });
    await writeFile(`${path}.text`, text);
    return utf8File({ path: `${path}.text`, bytes, hash: "" }, encoding);
  }
  const [, name = encoding] = BYTE_ORDER_MARKS.find(([start]) => mark.startsWith(start)) ?? [];
  if (name === undefined) return path;
  await writeFile(`${path}.utf8`, decoderOf(name).decode(await readFile(path)));
  return `${path}.utf8`;
}

/** DuckDB misses a quote right after the mark of UTF-8. */
const BYTE_ORDER_MARKS = [
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
  ["efbbbf", "utf-8"],
] as const;

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw invalid("encoding", encoding, 'Give a name such as "windows-1252", "iso-8859-1" or "utf-16le".');
  }
}

export async function readStart(path: string, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(length, (await file.stat()).size)));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export interface TableInput {
  readonly connection: DuckDBConnection;
  /** The private directory, the only one that DuckDB may access. */
  readonly directory: string;
  readonly file: ReceivedFile;
  readonly fields: Fields;
  readonly matchesDescription: boolean;
  readonly encoding: string | undefined;
  /** Whether to keep the cells of a CSV file as text. */
  readonly asText: boolean;
}

/** Only Parquet has metadata. */
export type TableReader = (
  input: TableInput,
) => Promise<{ readonly frame: PolarsFrame; readonly metadata?: ReadonlyMap<string, string> }>;

/** The view of the rows of a file. */
export const ROWS = "rows";

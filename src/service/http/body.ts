import { type Duplex, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { quoted } from "../../util/quoted.js";
import { type BodyMemory, unpooled } from "./bodyPool.js";
import { BodyError, type IncomingResponse } from "./incomingResponse.js";

/** Each chunk costs a turn of the event loop: with Node's 16 KiB a body would take thousands. */
const chunkSize = 256 * 1024;

/** Decoders by content encoding. The client requests none, but a cache on the way may ignore that. */
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip({ chunkSize }),
  "x-gzip": () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
};

/** Each encoding costs a decoder, and no real body has more. */
const MAX_ENCODINGS = 5;

/**
 * Reads and decodes a whole body. The caller may release its memory.
 *
 * @param encoding its content-encoding header
 * @param limit maximum size in bytes, decoded; reading stops at the first byte beyond
 * @throws BodyError; the reason with which the response was stopped; the connection error
 */
export async function readBody(
  response: IncomingResponse,
  encoding: string | undefined,
  limit: number,
): Promise<BodyMemory> {
  const received = await response.whole(limit);
  if (encoding === undefined || encoding === "identity") return received;
  const body = Readable.from([received.bytes]);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      size += (chunk as Buffer).length;
      if (size > limit) throw new BodyError("too large", `more than ${limit} bytes`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    body.destroy();
    throw decodingError(error);
  }
  // The encoded bytes are not released: a decoder thread may still read them.
  return unpooled(Buffer.concat(chunks, size));
}

/** The beginning of an error body, up to `limit` bytes; a body that breaks off is good enough. */
export async function readBeginning(
  response: IncomingResponse,
  encoding: string | undefined,
  limit: number,
): Promise<Buffer> {
  const bytes = await response.beginning(limit);
  if (encoding === undefined || encoding === "identity") return bytes;
  const body = Readable.from([bytes]);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= limit) break;
    }
  } catch {
    // The status says what is wrong; the body is a bonus.
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, limit);
}

function decoded(body: Readable, encoding: string): Readable {
  // A destroyed stream may emit an error after the last read, when nobody listens.
  body.on("error", () => {});
  const names = encoding.toLowerCase().split(",");
  const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  if (encodings.length > MAX_ENCODINGS) throw new BodyError("undecodable", `${encodings.length} content encodings`);
  let stream = body;
  for (const name of encodings.reverse()) {
    const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
    if (decoder === undefined) throw new BodyError("undecodable", `content encoding ${quoted(name)}`);
    stream = pipeline(stream, decoder, () => {});
  }
  return stream;
}

/** zlib distinguishes a truncated body from a damaged one. */
function decodingError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || !/^(Z_|ERR__|ERR_BROTLI)/.test(code)) return error;
  return code === "Z_BUF_ERROR"
    ? new BodyError("truncated", "the compressed body ends early", error)
    : new BodyError("undecodable", "the compressed body is damaged", error);
}

import { type Duplex, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { quoted } from "../../util/quoted.js";
import type { Incoming } from "./incoming.js";

/** Why a body could not be read; the exchange makes an error of it that the user understands. */
export class BodyProblem extends Error {
  constructor(
    readonly kind: "truncated" | "too large" | "undecodable",
    detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}

/** Each piece costs a turn of the event loop, which may have much else to do: Node's 16 KiB would make thousands of a body. */
const chunkSize = 256 * 1024;

/** Decoders by name of the content encoding. We ask for none, but a cache on the way may know better. */
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip({ chunkSize }),
  "x-gzip": () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
};

/** Nobody encodes a body more often; each encoding costs a decoder. */
const MAX_ENCODINGS = 5;

/**
 * Reads a body to its end and decodes it.
 *
 * @param encoding its content-encoding header
 * @param limit bytes it may have, decoded; reading stops at the first byte above
 * @throws BodyProblem, or the reason of whoever destroyed the stream
 */
export async function readBody(incoming: Incoming, encoding: string | undefined, limit: number): Promise<Buffer> {
  const bytes = await incoming.whole(limit);
  if (encoding === undefined || encoding === "identity") return bytes;
  const body = Readable.from([bytes]);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      size += (chunk as Buffer).length;
      if (size > limit) throw new BodyProblem("too large", `more than ${limit} bytes`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    body.destroy();
    throw decodingProblem(error);
  }
  return Buffer.concat(chunks, size);
}

/** As much of the body of an error as is worth showing; a body that breaks off is good enough. */
export async function readBeginning(incoming: Incoming, encoding: string | undefined, limit: number): Promise<Buffer> {
  const bytes = await incoming.beginning(limit);
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
    // The status says what is wrong, whatever became of the body.
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, limit);
}

function decoded(body: Readable, encoding: string | undefined): Readable {
  // An error after the last read (a destroyed stream) has nobody to tell any more.
  body.on("error", () => {});
  const names = (encoding ?? "").toLowerCase().split(",");
  const coded = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  if (coded.length > MAX_ENCODINGS) throw new BodyProblem("undecodable", `${coded.length} content encodings`);
  let stream = body;
  for (const name of coded.reverse()) {
    const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
    if (decoder === undefined) throw new BodyProblem("undecodable", `content encoding ${quoted(name)}`);
    stream = pipeline(stream, decoder, () => {});
  }
  return stream;
}

/** zlib tells a body that ends too early from one that is wrong. */
function decodingProblem(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || !/^(Z_|ERR__|ERR_BROTLI)/.test(code)) return error;
  return code === "Z_BUF_ERROR"
    ? new BodyProblem("truncated", "the compressed body ends too early", error)
    : new BodyProblem("undecodable", "the compressed body is damaged", error);
}

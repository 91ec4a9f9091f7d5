import { addAbortSignal, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { quoted } from "../../util/quoted.js";

type Controller = Dispatcher.DispatchController;
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Why a body could not be read. `attemptError` turns it into an error for users. */
export class BodyError extends Error {
  constructor(
    readonly kind: "truncated" | "too large" | "undecodable",
    detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}

/** Each chunk costs a turn of the event loop: with Node's 16 KiB a body would take thousands. */
const chunkSize = 256 * 1024;

/** Decoders by content encoding. The client requests none, but a cache on the way may ignore that. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", () => createGunzip({ chunkSize })],
  ["x-gzip", () => createGunzip({ chunkSize })],
  ["deflate", () => createInflate({ chunkSize })],
  ["br", () => createBrotliDecompress({ chunkSize })],
]);

/** A declared length is believed up to this many bytes. */
const MAX_DECLARED = 2 ** 24;

/** A response that is arriving. It assembles its body itself: a stream would cost more than the rest of a small request. */
export class HttpResponse implements Dispatcher.DispatchHandler {
  /** 0 until the head has arrived. */
  status = 0;
  /** Names in lower case, several values joined. They may contain the key. */
  headers: Record<string, string> = {};
  /** Memory for the whole body, if its length is declared; otherwise the chunks that have arrived. */
  #memory: Buffer | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #end: { readonly failure?: unknown } | undefined;
  #controller: Controller | undefined;
  #wake: () => void = () => undefined;

  /** @param signal cancels the response, on the wire too; its readers get the reason */
  constructor(readonly signal: AbortSignal) {
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Waits for status and headers. */
  async head(): Promise<this> {
    if (this.status === 0 && this.#end === undefined) await this.#news();
    if (this.status === 0) throw this.#end?.failure;
    return this;
  }

  /**
   * Reads and decodes the whole body.
   *
   * @param limit maximum size in bytes, decoded; reading stops at the first byte beyond
   * @throws BodyError; the reason of the signal; the connection error
   */
  async read(limit: number): Promise<Buffer> {
    await this.#readUpTo(limit);
    if (this.#size > limit) {
      this.stop(new Error("the body is too large"));
      throw tooLarge(limit);
    }
    if (this.#end !== undefined && "failure" in this.#end) throw this.#end.failure;
    const body = this.#bytes();
    const encoding = this.#encoding();
    if (encoding === undefined) return body;
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of this.#decoded(body, encoding)) {
        size += chunk.length;
        if (size > limit) throw tooLarge(limit);
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : decodingError(error);
    }
    return Buffer.concat(chunks, size);
  }

  /** The beginning of an error body, up to `limit` bytes; a body that breaks off is good enough. */
  async beginning(limit: number): Promise<Buffer> {
    await this.#readUpTo(limit);
    this.stop(new Error("enough was read"));
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      const encoding = this.#encoding();
      if (encoding === undefined) return this.#bytes().subarray(0, limit);
      for await (const chunk of this.#decoded(this.#bytes(), encoding)) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= limit) break;
      }
    } catch {
      // The status says what is wrong; the body is a bonus.
    }
    return Buffer.concat(chunks).subarray(0, limit);
  }

  /** Cancels the response unless it is complete. */
  stop(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#finish({ failure: reason });
    this.#controller?.abort(reason as Error);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#end !== undefined) controller.abort(this.#end.failure as Error);
  }

  onResponseStart(_controller: Controller, status: number, headers: RawHeaders): void {
    if (status < 200) return;
    for (const [name, value = ""] of Object.entries(headers)) {
      this.headers[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
    }
    const length = Number(this.headers["content-length"]);
    if (length > 0 && length <= MAX_DECLARED) this.#memory = Buffer.allocUnsafeSlow(length);
    this.status = status;
    this.#wake();
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#memory !== undefined && this.#size + chunk.length > this.#memory.length) {
      // A session may decode the body, but leave its headers.
      this.#chunks = [this.#memory.subarray(0, this.#size)];
      this.#memory = undefined;
    }
    if (this.#memory === undefined) this.#chunks.push(chunk);
    else this.#memory.set(chunk, this.#size);
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.#wake();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_controller: Controller, failure: Error): void {
    this.#finish({ failure });
  }

  readonly #onAbort = () => this.stop(this.signal.reason);

  #finish(end: { readonly failure?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.signal.removeEventListener("abort", this.#onAbort);
    this.#wake();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #readUpTo(limit: number): Promise<void> {
    this.#limit = limit;
    while (this.#end === undefined && this.#size <= limit) await this.#news();
  }

  #bytes(): Buffer {
    return this.#memory?.subarray(0, this.#size) ?? Buffer.concat(this.#chunks, this.#size);
  }

  /** The encoding of the body. Only one is accepted: each further one would multiply the size again. */
  #encoding(): string | undefined {
    const names = (this.headers["content-encoding"] ?? "").toLowerCase().split(",");
    const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
    if (encodings.length > 1) throw new BodyError("undecodable", `${encodings.length} content encodings`);
    return encodings[0];
  }

  /** The decoded bytes, chunk by chunk. The signal stops the decoder, and so does a reader that stops. */
  #decoded(body: Buffer, encoding: string): AsyncIterable<Buffer> {
    const decoder = DECODERS.get(encoding)?.();
    if (decoder === undefined) throw new BodyError("undecodable", `content encoding ${quoted(encoding)}`);
    addAbortSignal(this.signal, decoder);
    decoder.end(body);
    return decoder;
  }
}

function tooLarge(limit: number): BodyError {
  return new BodyError("too large", `more than ${limit} bytes`);
}

/** zlib distinguishes a truncated body from a damaged one. */
function decodingError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || !/^(Z_|ERR__|ERR_BROTLI)/.test(code)) return error;
  return code === "Z_BUF_ERROR"
    ? new BodyError("truncated", "the compressed body ends early", error)
    : new BodyError("undecodable", "the compressed body is damaged", error);
}

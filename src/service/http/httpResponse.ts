import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { quoted } from "../../util/quoted.js";

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

/** Decoders by content encoding. The client requests none, but a cache on the way may ignore that. */
const DECODERS = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** A response that is arriving. It assembles its body itself: a stream would cost more than the rest of a small request. */
export class HttpResponse implements Dispatcher.DispatchHandler {
  /** 0 until the head has arrived. */
  status = 0;
  /** Names in lower case, several values joined. They may contain the key. */
  headers: Record<string, string> = {};
  /**
   * Resolves once the body has arrived, or more of it than allowed; of an error, also if the body breaks off or the signal aborts.
   * Rejects with the reason of the signal or the connection error.
   */
  readonly received: Promise<void>;
  /** Whether more of the body arrived than allowed, so that the connection was closed. */
  isCut = false;
  isSuccess = false;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #limit = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #settle: (failure?: unknown) => void = () => undefined;

  /** @param onHead called as soon as status and headers have arrived; returns how many bytes of the body to receive */
  constructor(
    readonly signal: AbortSignal,
    readonly onHead: (response: HttpResponse) => number,
  ) {
    this.received = new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#settle(signal.reason);
        this.#controller?.abort(signal.reason);
      };
      this.#settle = (failure) => {
        signal.removeEventListener("abort", onAbort);
        // Of an error, the status suffices.
        if (failure === undefined || (this.status > 0 && !this.isSuccess)) resolve();
        else reject(failure);
      };
      signal.addEventListener("abort", onAbort);
    });
  }

  /** The decoded body, as far as it was received. */
  async body(limit: number): Promise<Buffer> {
    const tooLarge = () => new BodyError("too large", `more than ${limit} bytes`);
    if (this.#size > limit) throw tooLarge();
    const body = Buffer.concat(this.#chunks, this.#size);
    const encodings = (this.headers["content-encoding"] ?? "").toLowerCase().match(/[^\s,]+/g) ?? [];
    const encoding = encodings.filter((name) => name !== "identity").join();
    if (encoding === "") return asUtf8(body, this.headers);
    // Each further encoding would multiply the size again.
    const decode = DECODERS.get(encoding);
    if (decode === undefined) throw new BodyError("undecodable", `content encoding ${quoted(encoding)}`);
    try {
      return asUtf8(await decode(body, { maxOutputLength: limit }), this.headers);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
      throw code === "Z_BUF_ERROR"
        ? new BodyError("truncated", "the compressed body ends early", error)
        : new BodyError("undecodable", "the compressed body is damaged", error);
    }
  }

  /** The beginning of the body of an error; empty if it cannot be decoded. */
  async beginning(limit: number): Promise<Buffer> {
    const encoding = this.headers["content-encoding"];
    if (encoding === undefined) return Buffer.concat(this.#chunks, Math.min(this.#size, limit));
    return this.body(limit).catch(() => Buffer.alloc(0));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.signal.aborted) controller.abort(this.signal.reason);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.signal.aborted) return;
    for (const [name, value = ""] of Object.entries(headers)) {
      this.headers[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
    }
    this.status = status;
    this.isSuccess = status < 300;
    this.#limit = this.onHead(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#limit) return;
    this.isCut = true;
    this.#settle();
    controller.abort(new Error("enough was received"));
  }

  onResponseEnd(): void {
    this.#settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController, failure: Error): void {
    this.#settle(failure);
  }
}

/** Servers often declare a wrong charset, so it counts only if the bytes are not valid UTF-8 or contain a NUL, which JSON never does. */
function asUtf8(body: Buffer, headers: HttpResponse["headers"]): Buffer {
  const name = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1];
  if (name === undefined || /^utf-?8$/i.test(name) || (isUtf8(body) && !body.includes(0))) return body;
  try {
    return Buffer.from(new TextDecoder(name).decode(body));
  } catch {
    return body;
  }
}

import type { Dispatcher } from "undici";
import { type BodyMemory, type BodyPool, POOLED_BYTES, unpooled } from "./bodyPool.js";

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

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

/** A declared length is believed up to this many bytes. Longer bodies grow as they arrive. */
const MAX_DECLARED = 2 ** 24;
/** The memory that a body of unknown length starts with. */
const FIRST_BYTES = 2 ** 14;

/**
 * A response that is arriving. It assembles the body itself, in memory of a pool: a stream would cost more than the rest of
 * a small request. Readers get the reason with which it was stopped.
 */
export class IncomingResponse implements Dispatcher.DispatchHandler {
  /** Resolves with status and headers. */
  readonly head: Promise<{ status: number; headers: Headers }>;
  #resolveHead!: (head: { status: number; headers: Headers }) => void;
  #rejectHead!: (reason: unknown) => void;
  #controller: Controller | undefined;
  /** Full blocks of a body that is too large for the pool: doubling its memory could take twice the limit. */
  readonly #blocks: Buffer[] = [];
  #memory = unpooled(Buffer.alloc(0));
  /** Bytes in the memory. */
  #used = 0;
  /** Bytes in the blocks and the memory. */
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #state: "open" | "complete" | "failed" = "open";
  #reason: unknown;
  #wake: (() => void) | undefined;

  constructor(readonly pool: BodyPool) {
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    this.head.catch(() => undefined);
  }

  /** Cancels the response, on the wire too. */
  stop(reason: unknown): void {
    this.#end("failed", reason);
    this.#controller?.abort(reason as Error);
  }

  /**
   * Reads the whole body. The caller may release its memory.
   *
   * @throws BodyError "too large" as soon as it exceeds `limit`; the reason of {@link stop}; the connection error
   */
  async whole(limit: number): Promise<BodyMemory> {
    await this.#readUpTo(limit);
    if (this.#size > limit) {
      const error = new BodyError("too large", `more than ${limit} bytes`);
      this.stop(error);
      throw error;
    }
    if (this.#state === "failed") throw this.#reason;
    return this.#blocks.length > 0 ? unpooled(this.#bytes()) : { ...this.#memory, bytes: this.#bytes() };
  }

  /** Reads up to `limit` bytes; fewer if the body ends or breaks off before. */
  async beginning(limit: number): Promise<Buffer> {
    await this.#readUpTo(limit);
    if (this.#state === "open") this.stop(new Error("enough was read"));
    return this.#bytes().subarray(0, limit);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#state === "failed") controller.abort(this.#reason as Error);
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    if (status < 200) return;
    const length = Number(headers["content-length"]);
    if (length > 0 && length <= MAX_DECLARED) this.#memory = this.pool.take(length);
    this.#resolveHead({ status, headers });
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    // The chunk is part of the read buffer of the connection, which the next read overwrites.
    if (this.#used + chunk.length > this.#memory.bytes.length) this.#grow(chunk.length);
    this.#memory.bytes.set(chunk, this.#used);
    this.#used += chunk.length;
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.#wake?.();
  }

  onResponseEnd(): void {
    this.#end("complete", undefined);
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end("failed", error);
  }

  #end(state: "complete" | "failed", reason: unknown): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#reason = reason;
    if (state === "failed") this.#rejectHead(reason);
    this.#wake?.();
  }

  async #readUpTo(limit: number): Promise<void> {
    this.#limit = limit;
    if (this.#state !== "open" || this.#size > limit) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #grow(missing: number): void {
    const filled = this.#memory.bytes.subarray(0, this.#used);
    if (filled.length >= POOLED_BYTES.total / 2) {
      this.#blocks.push(filled);
      this.#memory = unpooled(Buffer.allocUnsafeSlow(Math.max(missing, POOLED_BYTES.total)));
      this.#used = 0;
      return;
    }
    const larger = this.pool.take(Math.max(filled.length + missing, 2 * this.#memory.bytes.length, FIRST_BYTES));
    larger.bytes.set(filled);
    this.#memory.release();
    this.#memory = larger;
  }

  #bytes(): Buffer {
    const last = this.#memory.bytes.subarray(0, this.#used);
    return this.#blocks.length > 0 ? Buffer.concat([...this.#blocks, last], this.#size) : last;
  }
}

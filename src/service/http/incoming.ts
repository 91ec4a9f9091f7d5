import type { Dispatcher } from "undici";
import { BodyProblem } from "./body.js";

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/**
 * An answer that is arriving. Its bytes are kept as they come, with no stream between, which would cost more than all
 * the rest of a small request. Whoever has stopped it hears the reason.
 */
export class Incoming implements Dispatcher.DispatchHandler {
  /** Settles when the head is there. */
  readonly head: Promise<{ status: number; headers: Headers }>;
  #headed!: (head: { status: number; headers: Headers }) => void;
  #failed!: (reason: unknown) => void;
  #controller: Controller | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #over: "no" | "ended" | "failed" = "no";
  #reason: unknown;
  #wake: (() => void) | undefined;

  constructor() {
    this.head = new Promise((resolve, reject) => {
      this.#headed = resolve;
      this.#failed = reject;
    });
    this.head.catch(() => undefined);
  }

  /** Ends it for this reason, on the wire too. */
  stop(reason: unknown): void {
    this.#end("failed", reason);
    this.#controller?.abort(reason as Error);
  }

  /**
   * All of the body.
   *
   * @throws BodyProblem "too large", as soon as it is; the reason of {@link stop}; the error of the connection
   */
  async whole(limit: number): Promise<Buffer> {
    await this.#upTo(limit);
    if (this.#size > limit) {
      this.stop(new BodyProblem("too large", `more than ${limit} bytes`));
      throw new BodyProblem("too large", `more than ${limit} bytes`);
    }
    if (this.#over === "failed") throw this.#reason;
    return this.#bytes();
  }

  /** What there is of the body when it ends, breaks off, or is longer than `limit`. */
  async beginning(limit: number): Promise<Buffer> {
    await this.#upTo(limit);
    if (this.#over === "no") this.stop(new Error("enough was read"));
    return this.#bytes().subarray(0, limit);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over === "failed") controller.abort(this.#reason as Error);
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    if (status >= 200) this.#headed({ status, headers });
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.#wake?.();
  }

  onResponseEnd(): void {
    this.#end("ended", undefined);
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end("failed", error);
  }

  #end(how: "ended" | "failed", reason: unknown): void {
    if (this.#over !== "no") return;
    this.#over = how;
    this.#reason = reason;
    if (how === "failed") this.#failed(reason);
    this.#wake?.();
  }

  async #upTo(limit: number): Promise<void> {
    this.#limit = limit;
    if (this.#over !== "no" || this.#size > limit) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #bytes(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 ? (first as Buffer) : Buffer.concat(this.#chunks, this.#size);
  }
}

import { createHash } from "node:crypto";
import { type HashWorker, hashWorker } from "./hashWorker.js";

/** Bytes are collected up to this size before they go to the worker thread. Smaller harvests are hashed in place. */
const STAGE_BYTES = 2 ** 20;

let lastId = 0;

/** SHA-256 of the bodies of a harvest, in order. For large harvests a worker thread computes it. */
export class BodyHash {
  readonly #id = ++lastId;
  #stage = Buffer.allocUnsafeSlow(0);
  #staged = 0;
  #worker: HashWorker | undefined;
  #digest: string | null = null;
  /** The worker thread has deleted the hash. */
  #ended = false;

  update(bytes: Uint8Array): void {
    if (this.#staged + bytes.length > STAGE_BYTES) this.#send();
    if (this.#staged + bytes.length > this.#stage.length) {
      const size = Math.max(this.#staged + bytes.length, Math.min(4 * this.#stage.length, STAGE_BYTES));
      // Not from the shared pool, because the buffer is transferred to the thread.
      const larger = Buffer.allocUnsafeSlow(size);
      this.#stage.copy(larger, 0, 0, this.#staged);
      this.#stage = larger;
    }
    this.#stage.set(bytes, this.#staged);
    this.#staged += bytes.length;
  }

  /** Brings {@link digest} up to date. With `last`, no further update may follow. */
  async settle(last: boolean): Promise<void> {
    if (this.#worker === undefined || this.#ended) return;
    this.#ended = last;
    this.#send();
    this.#digest = await this.#worker.digest(this.#id, last);
  }

  /** The hash in hexadecimal: of all bytes if no thread was needed, otherwise of the bytes up to the last {@link settle}. */
  get digest(): string | null {
    if (this.#worker !== undefined) return this.#digest;
    return createHash("sha256").update(this.#stage.subarray(0, this.#staged)).digest("hex");
  }

  #send(): void {
    if (this.#staged === 0) return;
    this.#worker ??= hashWorker();
    this.#worker.update(this.#id, this.#stage.subarray(0, this.#staged));
    this.#stage = this.#worker.buffer(STAGE_BYTES);
    this.#staged = 0;
  }
}

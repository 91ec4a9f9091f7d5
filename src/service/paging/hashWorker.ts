import { Worker } from "node:worker_threads";

// A string, so that it runs wherever this module was loaded from, bundled or not.
const CODE = `
const { parentPort } = require("node:worker_threads");
const { createHash } = require("node:crypto");
const hashes = new Map();
parentPort.on("message", ({ id, bytes, request, last }) => {
  const hash = hashes.get(id) ?? createHash("sha256");
  hashes.set(id, hash);
  if (bytes) {
    hash.update(bytes);
    parentPort.postMessage({ used: bytes.buffer }, [bytes.buffer]);
  }
  if (request) parentPort.postMessage({ request, digest: hash.copy().digest("hex") });
  if (last) hashes.delete(id);
});`;

/** A thread that computes SHA-256 for all harvests of this process, since hashing takes as long as reading the JSON. */
class HashWorker {
  // Without the flags of this process: --input-type=module would run the code as a module.
  readonly #worker = new Worker(CODE, { eval: true, execArgv: [] });
  readonly #pending = new Map<number, (digest: string | null) => void>();
  /** Buffers that the thread returned. It would free them late, because it rarely collects garbage. */
  readonly #returned: ArrayBuffer[] = [];
  #lastRequest = 0;
  #ended = false;

  constructor() {
    // The thread keeps the process alive only while a digest is pending.
    this.#worker.unref();
    this.#worker.on("message", ({ request, digest, used }: { request: number; digest: string; used?: ArrayBuffer }) => {
      if (used !== undefined) this.#returned.push(used);
      else this.#resolve(request, digest);
    });
    this.#worker.on("error", () => this.#onExit());
    this.#worker.on("exit", () => this.#onExit());
  }

  /** Adds bytes to the hash of a harvest. The buffer is transferred: the caller must not use it afterwards. */
  update(id: number, bytes: Uint8Array): void {
    this.#worker.postMessage({ id, bytes }, [bytes.buffer as ArrayBuffer]);
  }

  /** A buffer of at least this size, reused if possible. */
  buffer(size: number): Buffer<ArrayBuffer> {
    const used = this.#returned.pop();
    return used !== undefined && used.byteLength >= size ? Buffer.from(used) : Buffer.allocUnsafeSlow(size);
  }

  /** The hash so far in hexadecimal; null if the thread has ended. With `last`, the thread deletes the hash. */
  async digest(id: number, last: boolean): Promise<string | null> {
    if (this.#ended) return null;
    const request = ++this.#lastRequest;
    return new Promise((resolve) => {
      this.#pending.set(request, resolve);
      this.#worker.ref();
      this.#worker.postMessage({ id, request, last });
    });
  }

  #resolve(request: number, digest: string | null): void {
    this.#pending.get(request)?.(digest);
    this.#pending.delete(request);
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #onExit(): void {
    this.#ended = true;
    if (shared === this) shared = undefined;
    for (const request of [...this.#pending.keys()]) this.#resolve(request, null);
  }
}

export type { HashWorker };

let shared: HashWorker | undefined;

/** The thread of this process, started on first use. */
export function hashWorker(): HashWorker {
  shared ??= new HashWorker();
  return shared;
}

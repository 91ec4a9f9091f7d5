import { Worker } from "node:worker_threads";

// As text, so that it runs from wherever this module was loaded, bundled or not.
const CODE = `
const { parentPort } = require("node:worker_threads");
const { createHash } = require("node:crypto");
const hashes = new Map();
parentPort.on("message", ({ id, bytes, ask, last }) => {
  const hash = hashes.get(id) ?? createHash("sha256");
  hashes.set(id, hash);
  if (bytes) {
    hash.update(bytes);
    parentPort.postMessage({ used: bytes.buffer }, [bytes.buffer]);
  }
  if (ask) parentPort.postMessage({ ask, digest: hash.copy().digest("hex") });
  if (last) hashes.delete(id);
});`;

/** A thread that computes SHA-256 for all harvests of this process; hashing costs as much as reading the JSON does. */
class HashWorker {
  // Not with the flags of this process: with --input-type=module the code would be taken for a module.
  readonly #worker = new Worker(CODE, { eval: true, execArgv: [] });
  readonly #waiting = new Map<number, (digest: string | null) => void>();
  /** Buffers that came back: the thread would free them late, having little garbage of its own. */
  readonly #used: ArrayBuffer[] = [];
  #lastAsk = 0;
  #ended = false;

  constructor() {
    // It keeps the process alive only while somebody waits for it.
    this.#worker.unref();
    this.#worker.on("message", ({ ask, digest, used }: { ask: number; digest: string; used?: ArrayBuffer }) => {
      if (used !== undefined) this.#used.push(used);
      else this.#answer(ask, digest);
    });
    this.#worker.on("error", () => this.#gone());
    this.#worker.on("exit", () => this.#gone());
  }

  /** Adds bytes to the hash of a harvest. The bytes are handed over: the caller must not use them any more. */
  update(id: number, bytes: Uint8Array): void {
    this.#worker.postMessage({ id, bytes }, [bytes.buffer as ArrayBuffer]);
  }

  /** A buffer of this size at least, one that came back where there is one. */
  buffer(size: number): Buffer<ArrayBuffer> {
    const used = this.#used.pop();
    return used !== undefined && used.byteLength >= size ? Buffer.from(used) : Buffer.allocUnsafeSlow(size);
  }

  /** The hash so far in hexadecimal; null where the thread is gone. With `last` the hash is forgotten. */
  async digest(id: number, last: boolean): Promise<string | null> {
    if (this.#ended) return null;
    const ask = ++this.#lastAsk;
    return new Promise((resolve) => {
      this.#waiting.set(ask, resolve);
      this.#worker.ref();
      this.#worker.postMessage({ id, ask, last });
    });
  }

  #answer(ask: number, digest: string | null): void {
    this.#waiting.get(ask)?.(digest);
    this.#waiting.delete(ask);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #gone(): void {
    this.#ended = true;
    if (shared === this) shared = undefined;
    for (const ask of [...this.#waiting.keys()]) this.#answer(ask, null);
  }
}

export type { HashWorker };

let shared: HashWorker | undefined;

/** The thread of this process, started when it is first needed. */
export function hashWorker(): HashWorker {
  shared ??= new HashWorker();
  return shared;
}

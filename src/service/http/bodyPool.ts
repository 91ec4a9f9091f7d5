/** Sizes in bytes. Tests make the smallest one smaller. */
export const POOLED_BYTES = {
  /** Smaller bodies are not pooled: fresh memory of their size is cheap. */
  smallest: 2 ** 16,
  /** The free memory that a pool keeps, and the largest body that it takes. A power of two. */
  total: 2 ** 23,
};

/** Ends one reader's use of a body. Further calls do nothing. */
export type Release = () => void;

/**
 * The memory of one body, which has one reader at first. When every reader has released it, it returns to its pool for the
 * next body; if one never does, it is garbage collected. All views of it are empty from then on, so a reader that comes too
 * late never sees another body.
 */
export interface BodyMemory {
  /** At least as many bytes as were requested, with anything in them. */
  readonly bytes: Buffer;
  /** Ends the use by the first reader. */
  readonly release: Release;
  /** Adds a reader. */
  readonly retain: () => Release;
}

/** The memory of a body that is left to the garbage collector. */
export function unpooled(bytes: Buffer): BodyMemory {
  return { bytes, release: () => undefined, retain: () => () => undefined };
}

/** Reuses the memory of bodies that nobody reads any more. Fresh memory costs more than copying a body into it does. */
export class BodyPool {
  readonly #free: ArrayBuffer[] = [];
  #freeBytes = 0;
  #isClosed = false;

  /** Memory for a body of `size` bytes. */
  take(size: number): BodyMemory {
    if (size < POOLED_BYTES.smallest || size > POOLED_BYTES.total) return unpooled(Buffer.allocUnsafeSlow(size));
    // Bodies of a similar size share their memory.
    const capacity = 2 ** Math.ceil(Math.log2(size));
    const memory = this.#reuse(capacity) ?? Buffer.allocUnsafeSlow(capacity).buffer;
    let readers = 0;
    const retain = () => {
      let isReading = true;
      readers++;
      return () => {
        if (!isReading) return;
        isReading = false;
        readers--;
        if (readers === 0) this.#add(memory);
      };
    };
    return { bytes: Buffer.from(memory), release: retain(), retain };
  }

  /** Frees all memory. */
  close(): void {
    this.#isClosed = true;
    this.#free.length = 0;
  }

  #reuse(capacity: number): ArrayBuffer | undefined {
    const at = this.#free.findLastIndex(({ byteLength }) => byteLength === capacity);
    if (at < 0) return undefined;
    this.#freeBytes -= capacity;
    return this.#free.splice(at, 1)[0];
  }

  #add(memory: ArrayBuffer): void {
    // The transfer empties all views.
    const owned = structuredClone(memory, { transfer: [memory] });
    if (this.#isClosed || this.#freeBytes + owned.byteLength > POOLED_BYTES.total) return;
    this.#free.push(owned);
    this.#freeBytes += owned.byteLength;
  }
}

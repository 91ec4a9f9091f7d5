/**
 * Hands out a fixed number of slots, first come, first served. Retries go before first attempts: a call that already
 * had its turn does not queue behind everything that was asked after it.
 *
 * @example
 * const release = await slots.acquire(signal);
 * try { … } finally { release(); }
 */
export class Slots {
  #free: number;
  // Sets keep the order of insertion and forget one in the middle at no cost.
  readonly #retries = new Set<() => void>();
  readonly #first = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a slot.
   *
   * @returns gives the slot back; calling it again does nothing
   * @throws the reason of the signal, at once when it aborts
   */
  async acquire(signal: AbortSignal, isRetry = false): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal, isRetry ? this.#retries : this.#first);
    let held = true;
    return () => {
      if (held) this.#pass();
      held = false;
    };
  }

  /** A slot goes from hand to hand, so that nobody who comes in between can take it. */
  #pass(): void {
    const queue = this.#retries.size > 0 ? this.#retries : this.#first;
    for (const next of queue) {
      queue.delete(next);
      next();
      return;
    }
    this.#free += 1;
  }

  #turn(signal: AbortSignal, queue: Set<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.delete(next);
        reject(signal.reason);
      };
      queue.add(next);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

import type { Clock } from "../../../src/util/clock.js";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that stands still while code runs, and jumps to the end of the shortest sleep once all code sleeps. */
export class VirtualClock implements Clock {
  #time: number;
  readonly #start: number;
  /** Sorted by time, earliest last. */
  readonly #sleepers: Sleeper[] = [];

  constructor(start = Date.UTC(2024, 0, 1)) {
    this.#start = start;
    this.#time = start;
  }

  now(): number {
    return this.#time;
  }

  ticks(): number {
    return this.#time;
  }

  /** Seconds since its creation. */
  get seconds(): number {
    return (this.#time - this.#start) / 1000;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const sleeper = this.#add(ms, wake);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Calls back at a later time. */
  after(ms: number, wake: () => void): void {
    this.#add(ms, wake);
  }

  /** Advances the time until the promise settles. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (;;) {
      // Whatever needs no time finishes before the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return promise;
      const sleeper = this.#sleepers.pop();
      if (sleeper === undefined) throw new Error("nothing can happen any more");
      this.#time = Math.max(this.#time, sleeper.until);
      sleeper.wake();
    }
  }

  #add(ms: number, wake: () => void): Sleeper {
    const sleeper = { until: this.#time + ms, wake };
    let at = this.#sleepers.length;
    while (at > 0 && (this.#sleepers[at - 1] as Sleeper).until <= sleeper.until) at--;
    this.#sleepers.splice(at, 0, sleeper);
    return sleeper;
  }
}

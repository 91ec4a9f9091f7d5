import { type Clock, systemClock } from "../../src/util/clock.js";

export { type Clock, systemClock };

/** A clock whose sleeps return at once and advance the time. `sleeps` lists them in seconds. */
export class JumpingClock implements Clock {
  time: number;
  readonly sleeps: number[] = [];

  constructor(start = Date.UTC(2024, 0, 1)) {
    this.time = start;
  }

  ticks(): number {
    return this.time;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms / 1000);
    this.time += ms;
  }
}

/** A clock that only moves when the test advances it, or lets it run. */
export class StandingClock implements Clock {
  #time: number;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  constructor(start = 0) {
    this.#time = start;
  }

  /** Number of pending sleeps. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  ticks(): number {
    return this.#time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", stop);
        this.#sleepers.delete(sleeper);
        resolve();
      };
      const sleeper = { until: this.#time + ms, wake };
      signal?.addEventListener("abort", stop, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Advances the time and ends the sleeps that are due, in order. */
  advance(ms: number): void {
    this.#time += ms;
    for (const { until, wake } of [...this.#sleepers]) if (until <= this.#time) wake();
  }

  /** Advances the time, from the end of one sleep to the next, until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T> {
    return stepUntilSettled(promise, () => {
      if (this.#sleepers.size === 0) throw new Error("nothing can happen any more");
      const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
      this.advance(Math.max(0, next - this.#time));
    });
  }
}

/** Repeats a step, each in a new turn of the event loop, until the promise settles. */
export async function stepUntilSettled<T>(promise: Promise<T>, step: () => void): Promise<T> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  promise.then(settled, settled);
  for (;;) {
    // Whatever needs no time finishes before: streams take a few turns.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return promise;
    step();
  }
}

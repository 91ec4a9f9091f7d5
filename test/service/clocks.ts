import type { Clock } from "../../src/util/clock.js";

export type { Clock };

/** A clock whose sleeps return at once and advance the time. `sleeps` lists them in seconds. */
export class JumpingClock implements Clock {
  time: number;
  readonly sleeps: number[] = [];

  constructor(start = Date.UTC(2024, 0, 1)) {
    this.time = start;
  }

  now(): number {
    return this.time;
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
  #now: number;
  #ticks = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #watchers = new Set<() => void>();

  constructor(start = 0) {
    this.#now = start;
    this.#ticks = start;
  }

  /** Number of pending sleeps. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#now;
  }

  ticks(): number {
    return this.#ticks;
  }

  /** Adjusts the wall clock by some milliseconds, without affecting pending sleeps. */
  set(ms: number): void {
    this.#now += ms;
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
      const sleeper = { until: this.#ticks + ms, wake };
      signal?.addEventListener("abort", stop, { once: true });
      this.#sleepers.add(sleeper);
      for (const watcher of this.#watchers) watcher();
    });
  }

  /** Advances the time and ends the sleeps that are due, in order. */
  advance(ms: number): void {
    this.#now += ms;
    this.#ticks += ms;
    for (const { until, wake } of [...this.#sleepers]) if (until <= this.#ticks) wake();
  }

  /** Resolves once at least `count` sleeps are pending. */
  asleep(count: number): Promise<void> {
    return new Promise((resolve) => {
      const watcher = () => {
        if (this.#sleepers.size < count) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  /** Advances the time, from the end of one sleep to the next, until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T> {
    return stepUntilSettled(promise, () => {
      if (this.#sleepers.size === 0) throw new Error("nothing can happen any more");
      const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
      this.advance(Math.max(0, next - this.#ticks));
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

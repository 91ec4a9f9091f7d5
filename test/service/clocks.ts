import type { Clock } from "../../src/util/clock.js";

/** A clock that jumps: each sleep is over at once, and the time has passed. `sleeps` holds the seconds slept. */
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

/** A clock that stands still until the test moves it. */
export class StandingClock implements Clock {
  #now: number;
  #ticks = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #watchers = new Set<() => void>();

  constructor(start = 0) {
    this.#now = start;
    this.#ticks = start;
  }

  /** How many sleep now. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#now;
  }

  ticks(): number {
    return this.#ticks;
  }

  /** Sets the clock by so many milliseconds; those who sleep do not notice. */
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

  /** Moves the time on and wakes those whose time has come, in order. */
  advance(ms: number): void {
    this.#now += ms;
    this.#ticks += ms;
    for (const { until, wake } of [...this.#sleepers]) if (until <= this.#ticks) wake();
  }

  /** Resolves when `count` or more sleep. */
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
}

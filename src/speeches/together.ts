import pLimit from "p-limit";
import { host } from "../calls/host.js";

/** What stops a build: the failure of one of its requests, the caller, or the notebook. */
export class Stop {
  readonly #own = new AbortController();
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal | undefined) {
    this.signal = AbortSignal.any([this.#own.signal, signal, host().signal].filter((one) => one !== undefined));
  }

  now(): void {
    this.#own.abort();
  }
}

/**
 * Does several things side by side, a few at a time. The first that fails stops the others, before another begins.
 *
 * @throws what the first that fails throws
 */
export async function together(tasks: ReadonlyArray<() => Promise<void>>, atOnce: number, stop: Stop): Promise<void> {
  const limited = pLimit(atOnce);
  const guarded = async (task: () => Promise<void>) => {
    try {
      await task();
    } catch (error) {
      stop.now();
      throw error;
    }
  };
  await Promise.all(tasks.map((task) => limited(() => guarded(task))));
}

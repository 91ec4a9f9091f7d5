import { setMaxListeners } from "node:events";

/**
 * The signal of one call: aborts with the first of its sources, or when {@link abort} is called. Unlike with `AbortSignal.any`,
 * {@link release} removes its listeners from the sources: the signals of a client or notebook outlive thousands of calls.
 */
export class CallSignal {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #unsubscribe: Array<() => void> = [];

  constructor(
    sources: ReadonlyArray<AbortSignal | undefined> = [],
    toReason: (reason: unknown) => unknown = (reason) => reason,
  ) {
    for (const source of sources)
      if (source !== undefined) this.#unsubscribe.push(onAbort(source, () => this.abort(toReason(source.reason))));
  }

  /** Only the first reason counts. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}

/** Calls `stop` when the signal aborts, or immediately if it already has. @returns a function that unsubscribes */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => {};
  }
  // Node warns of a leak after ten listeners. A signal of another realm has its own limit.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  return () => signal.removeEventListener("abort", stop);
}

/** The promise, or the reason of the signal as soon as it aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(unsubscribe);
  });
}

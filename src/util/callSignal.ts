/** The callbacks of each signal, behind one listener: Node warns of a leak from the eleventh listener on. */
const callbacks = new Map<AbortSignal, Set<() => void>>();

/**
 * The signal of one call. It aborts with the first of its sources, or when {@link abort} is called, until it is released.
 *
 * Unlike `AbortSignal.any`, a released signal leaves nothing behind on its sources, and a source has one listener however
 * many calls it stops: the signals of a client or a notebook outlive thousands of calls.
 *
 * @example
 * const call = new CallSignal([options.signal, client.signal]);
 * try {
 *   await fetchPage({ signal: call.signal });
 * } finally {
 *   call.release();
 * }
 */
export class CallSignal {
  readonly #controller = new AbortController();
  readonly #unsubscribe: ReadonlyArray<() => void>;

  /**
   * @param sources signals that abort this one
   * @param toReason maps the reason of a source to the reason of this signal. Default: the same reason
   */
  constructor(
    sources: ReadonlyArray<AbortSignal | undefined> = [],
    toReason: (reason: unknown) => unknown = (reason) => reason,
  ) {
    this.#unsubscribe = sources
      .filter((source) => source !== undefined)
      .map((source) => onAbort(source, () => this.abort(toReason(source.reason))));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the call. Only the first reason counts. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** Stops listening to the sources. */
  release(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}

/**
 * Calls `stop` when the signal aborts, or immediately if it already has.
 *
 * @returns a function that stops listening
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => {};
  }
  const own = callbacks.get(signal) ?? subscribe(signal);
  own.add(stop);
  return () => {
    own.delete(stop);
    if (own.size === 0) unsubscribe(signal, own);
  };
}

function subscribe(signal: AbortSignal): Set<() => void> {
  const own = new Set<() => void>();
  callbacks.set(signal, own);
  signal.addEventListener("abort", handleAbort);
  return own;
}

function unsubscribe(signal: AbortSignal, own: Set<() => void>): void {
  // The signal may have a newer set by now.
  if (callbacks.get(signal) !== own) return;
  callbacks.delete(signal);
  signal.removeEventListener("abort", handleAbort);
}

function handleAbort(event: Event): void {
  const signal = event.target as AbortSignal;
  const own = callbacks.get(signal);
  if (own === undefined) return;
  unsubscribe(signal, own);
  for (const callback of own) callback();
}

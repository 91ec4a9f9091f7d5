/**
 * Listens to signals on behalf of many calls, with one listener for each signal: Node warns of a leak from the eleventh
 * on, and raising that limit on a signal that belongs to the user is not ours to do.
 */
export class SignalHub {
  readonly #stops = new Map<AbortSignal, Set<() => void>>();

  /**
   * Calls `stop` when the signal aborts, at once if it already has.
   *
   * @returns stops listening
   */
  listen(signal: AbortSignal, stop: () => void): () => void {
    if (signal.aborted) {
      stop();
      return () => {};
    }
    const stops = this.#stops.get(signal) ?? this.#attach(signal);
    stops.add(stop);
    return () => {
      stops.delete(stop);
      if (stops.size === 0) this.#detach(signal, stops);
    };
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.target as AbortSignal;
    const stops = this.#stops.get(signal);
    if (stops === undefined) return;
    this.#detach(signal, stops);
    for (const stop of stops) stop();
  };

  #attach(signal: AbortSignal): Set<() => void> {
    const stops = new Set<() => void>();
    this.#stops.set(signal, stops);
    signal.addEventListener("abort", this.#onAbort);
    return stops;
  }

  #detach(signal: AbortSignal, stops: Set<() => void>): void {
    // A later set for the same signal is not this one's to take away.
    if (this.#stops.get(signal) !== stops) return;
    this.#stops.delete(signal);
    signal.removeEventListener("abort", this.#onAbort);
  }
}

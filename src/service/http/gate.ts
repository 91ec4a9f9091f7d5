import type { Clock } from "./clock.js";

/** Leave to send one request. Exactly one of its members is to be called, once the request is over. */
export interface Pass {
  /** An answer came, and it was not 429. */
  accepted(): void;
  /** No answer came, or it was 429. */
  ended(): void;
}

/**
 * The gate that every request goes through before it is sent, so that a 429 stops the whole client and not only the
 * call that got it.
 *
 * - Open: everybody passes.
 * - Paused by `pause(until)`: nobody passes before that time. A further pause can only make it longer.
 * - After the time, one request passes as a probe while the others go on waiting. When it is answered with anything but
 *   429 the gate is open; when it is answered with 429 the gate is paused again; when no answer comes, the next in line
 *   is the probe. So a quota that is just refilling meets one request, not all that have been piling up.
 *
 * Answers to requests that were sent before the pause do not open the gate.
 */
export class Gate {
  readonly #clock: Clock;
  #state: "open" | "paused" | "probing" = "open";
  #until = Number.NEGATIVE_INFINITY;
  #probe: Pass | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets nobody pass before `until` (ticks of the clock), and then one at first. */
  pause(until: number): void {
    this.#until = this.#state === "open" ? until : Math.max(this.#until, until);
    this.#become("paused");
  }

  /**
   * Waits until a request may be sent.
   *
   * @throws the reason of the signal, at once when it aborts
   */
  async pass(signal: AbortSignal): Promise<Pass> {
    signal.throwIfAborted();
    while (this.#state !== "open") {
      const left = this.#until - this.#clock.ticks();
      if (this.#state === "probing") await this.#change(signal);
      else if (left > 0) await this.#clock.sleep(left, signal);
      else return this.#probing();
    }
    return { accepted() {}, ended() {} };
  }

  #probing(): Pass {
    const settle = (state: "open" | "paused") => {
      // A 429 to an older request may have paused the gate meanwhile: then this probe decides nothing any more.
      if (this.#probe === probe && this.#state === "probing") this.#become(state);
    };
    const probe: Pass = { accepted: () => settle("open"), ended: () => settle("paused") };
    this.#probe = probe;
    this.#become("probing");
    return probe;
  }

  #become(state: "open" | "paused" | "probing"): void {
    this.#state = state;
    if (state === "probing") return;
    for (const wake of this.#waiting) wake();
  }

  /** Until the probe is over. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(wake);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const stop = () => {
        leave();
        reject(signal.reason);
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}

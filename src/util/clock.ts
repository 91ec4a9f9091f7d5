/** Time as the transport sees it: tests bring their own, and then nothing sleeps. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since whatever moment: waits are measured with these, since the clock of a machine may be set. */
  ticks(): number;
  /**
   * Waits.
   *
   * @param ms milliseconds, 0 and more
   * @throws the reason of the signal, at once when it aborts
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait that `setTimeout` takes; it turns anything longer into 1 ms. */
const LONGEST_TIMER = 2_147_483_647;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= LONGEST_TIMER) await nap(Math.min(left, LONGEST_TIMER), signal);
    signal?.throwIfAborted();
  },
};

function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.ceil(ms));
    signal?.addEventListener("abort", stop, { once: true });
  });
}

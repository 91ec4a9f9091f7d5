/** The clock of the transport. Tests inject their own, so that they do not sleep. */
export interface Clock {
  /** Monotonic milliseconds for measuring, because the wall clock may change. */
  ticks(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The maximum of `setTimeout`, which treats longer times as 1 ms. */
const MAX_TIMER = 2_147_483_647;

export const systemClock: Clock = {
  ticks: performance.now.bind(performance),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= MAX_TIMER) await sleepOnce(Math.min(left, MAX_TIMER), signal);
    signal?.throwIfAborted();
  },
};

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

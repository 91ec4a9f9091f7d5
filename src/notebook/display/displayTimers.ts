/** Time as a bar sees it. */
export interface DisplayTimers {
  /** Milliseconds. */
  now(): number;
  /** Runs something once after so many milliseconds, and gives the way to call that off. It keeps no process alive. */
  after(ms: number, run: () => void): () => void;
}

/** The timers of the machine. */
export const systemTimers: DisplayTimers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

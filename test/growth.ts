/** Milliseconds of processor time below which work counts as fast: smaller times are mostly noise. */
export const FAST = 100;

/** Bound for linear work: four times the input takes a linear algorithm 4 times as long, a quadratic one 16 times. */
export const LINEAR = 10;

const ATTEMPTS = 3;

/**
 * The ratio of the processor time that some work takes on `size` to that on a quarter of it. Neither other programs nor the
 * speed of the machine matter. Guards against input that is built to be slow.
 *
 * @param prepare makes the input and returns the work to measure
 * @returns the lowest ratio of three attempts; 0 if the work is fast
 */
export async function growth(
  size: number,
  prepare: (size: number) => (() => unknown) | Promise<() => unknown>,
): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  // Several attempts, because garbage collection of earlier tests may interfere.
  for (let attempt = 0; attempt < ATTEMPTS && lowest >= LINEAR; attempt++) {
    const whole = await processorTime(await prepare(size));
    if (whole <= FAST) return 0;
    const quarter = await processorTime(await prepare(Math.ceil(size / 4)));
    lowest = Math.min(lowest, ratio(whole, quarter));
  }
  return lowest;
}

/** The ratio of the times, with `quarter` at least 20 ms: smaller times are noise. */
export function ratio(whole: number, quarter: number): number {
  return whole / Math.max(quarter, 20);
}

/** The processor time of some work, in milliseconds. */
async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

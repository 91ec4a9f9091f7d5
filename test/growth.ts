/** Work that takes less processor time than this, in milliseconds, is fast whatever its growth: smaller times are mostly noise. */
export const FAST = 100;

/** Four times the input takes a linear algorithm 4 times as long, and a quadratic one 16 times: `growth` below this is linear. */
export const LINEAR = 10;

const ATTEMPTS = 3;

/**
 * How many times longer some work takes on `size` than on a quarter of it, in processor time: other programs on the machine do
 * not count, and neither does how fast it is. Guards against input that is built to be slow.
 *
 * @param prepare makes the input and returns the work to measure
 * @returns the lowest ratio of three attempts, 0 for work that is fast
 */
export async function growth(
  size: number,
  prepare: (size: number) => (() => unknown) | Promise<() => unknown>,
): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  // Several attempts, because garbage of earlier tests is collected at any time.
  for (let attempt = 0; attempt < ATTEMPTS && lowest >= LINEAR; attempt++) {
    const whole = await processorTime(await prepare(size));
    if (whole <= FAST) return 0;
    const quarter = await processorTime(await prepare(Math.ceil(size / 4)));
    lowest = Math.min(lowest, ratio(whole, quarter));
  }
  return lowest;
}

/** How many times longer `whole` is than `quarter`, which counts as at least 20 ms: below that, it is noise. */
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

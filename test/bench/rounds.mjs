/**
 * Measures contenders in turn, A B C A B C …, after uncounted warm-up rounds.
 *
 * @param contenders functions that return a measurement, by name
 * @param warmUps three where code runs long enough to be compiled: after one, it is still interpreted in part
 * @returns one list of measurements for each name
 */
export async function rounds(contenders, count = 5, warmUps = 1) {
  const measured = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -warmUps; round < count; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const value = await measure();
      if (round >= 0) measured[name].push(value);
    }
  }
  return measured;
}

/** The milliseconds that `run` takes, the CPU milliseconds of all threads of this process, and what it returns. */
export async function measure(run) {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const result = await run();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ms, cpu: (user + system) / 1000, result };
}

/** Returns a function that measures `run`, and keeps nothing of what it returns. */
export function timed(run) {
  return async () => {
    const { ms, cpu } = await measure(run);
    return { ms, cpu };
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median over the rounds of `of / to`. */
export function ratio(of, to) {
  return median(of.map((value, round) => value / to[round]));
}

/** One figure of each measurement: `all(times, "ms")`. */
export function all(measurements, figure) {
  return measurements.map((measurement) => measurement[figure]);
}

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");

/**
 * Measures contenders in turn, A B C A B C …, after one round that does not count.
 *
 * @param contenders functions that give what is measured, by name
 * @returns one list of measurements for each name
 */
export async function rounds(contenders, count = 5) {
  const measured = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= count; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const value = await measure();
      if (round > 0) measured[name].push(value);
    }
  }
  return measured;
}

/** The milliseconds that `run` takes, without the garbage of whoever ran before it. */
export function timed(run) {
  return async () => {
    gc();
    const start = performance.now();
    await run();
    return performance.now() - start;
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** How many times as much `of` is as `to`: the median of the rounds. */
export function ratio(of, to) {
  return median(of.map((value, round) => value / to[round]));
}

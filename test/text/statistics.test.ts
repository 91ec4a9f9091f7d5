import { describe, expect, it } from "vitest";
import {
  gammaP,
  gammaQuantile,
  logGamma,
  logLikelihood,
  normalBound,
  poissonInterval,
  wilsonInterval,
} from "../../src/text/statistics.js";
import { runs } from "../scale.js";

describe("the gamma distribution", () => {
  it("has the factorials as its gamma function, and the root of pi at one half", () => {
    for (const [x, factorial] of [
      [1, 1],
      [2, 1],
      [5, 24],
      [11, 3_628_800],
    ] as const) {
      expect(logGamma(x)).toBeCloseTo(Math.log(factorial), 11);
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 11);
  });

  it("is a Poisson tail for whole shapes", () => {
    // P(a, x) = P(Poisson(x) ≥ a), summed term by term.
    for (const a of [1, 3, 20]) {
      for (const x of [0.1, 1, 7, 30]) {
        let [below, term] = [0, Math.exp(-x)];
        for (let k = 0; k < a; k++) {
          below += term;
          term *= x / (k + 1);
        }
        expect(gammaP(a, x)).toBeCloseTo(1 - below, 12);
      }
    }
    expect(gammaP(gammaShape, gammaQuantile(0.975, gammaShape))).toBeCloseTo(0.975, 9);
  });

  const gammaShape = 1_000_000;

  it("has the critical values of chi-square with one degree of freedom", () => {
    // Rayson and Garside (2000): 3.84, 6.63, 10.83 and 15.13 for 5, 1, 0.1 and 0.01 %.
    const critical = [0.05, 0.01, 0.001, 0.0001].map((p) => normalBound(1 - p) ** 2);
    [3.84, 6.63, 10.83, 15.13].forEach((value, at) => {
      expect(critical[at]).toBeCloseTo(value, 1);
    });
    expect(normalBound(0.95)).toBeCloseTo(1.959963985, 8);
  });
});

describe("intervals", () => {
  it("of Poisson counts are those that Garwood (1936) tabulated", () => {
    // 95 % limits.
    const table = [
      [0, 0, 3.69],
      [1, 0.0253, 5.57],
      [2, 0.242, 7.22],
      [5, 1.62, 11.67],
      [10, 4.8, 18.39],
      [50, 37.11, 65.92],
    ] as const;
    for (const [count, low, high] of table) {
      const interval = poissonInterval(count, 0.95);
      expect(interval.low).toBeCloseTo(low, 1);
      expect(interval.high).toBeCloseTo(high, 1);
    }
  });

  it("of proportions are those that Newcombe (1998) published for Wilson's method", () => {
    // Statistics in Medicine 17: 81/263, 15/148, 0/20, 1/29.
    const table = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const;
    for (const [count, total, low, high] of table) {
      const interval = wilsonInterval(count, total, 0.95);
      expect(interval.low).toBeCloseTo(low, 4);
      expect(interval.high).toBeCloseTo(high, 4);
    }
    expect(wilsonInterval(20, 20, 0.95).high).toBe(1);
  });

  it("cover the true value in at least 95 of 100 simulated samples", () => {
    const samples = runs(2000, 50_000);
    const random = randomNumbers(7);
    for (const mean of [0.5, 4, 30]) {
      let covered = 0;
      for (let sample = 0; sample < samples; sample++) {
        const { low, high } = interval(poissonCount(random, mean));
        if (low <= mean && mean <= high) covered++;
      }
      // Garwood's interval never covers less; three standard errors for the simulation.
      expect(covered / samples).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / samples));
    }
    for (const share of [0.02, 0.3, 0.5]) {
      let covered = 0;
      for (let sample = 0; sample < samples; sample++) {
        let count = 0;
        for (let draw = 0; draw < 100; draw++) if (random() < share) count++;
        const { low, high } = wilsonInterval(count, 100, 0.95);
        if (low <= share && share <= high) covered++;
      }
      // Wilson's is near the nominal rate: Brown, Cai and DasGupta (2001) show 0.93 to 0.97 for n = 100.
      expect(Math.abs(covered / samples - 0.95)).toBeLessThan(0.03);
    }
  });
});

describe("log-likelihood", () => {
  it("is that of a table worked by hand", () => {
    // 30 of 1,000 against 10 of 1,000: expected 20 each; 2 (30 ln 1.5 + 10 ln 0.5) = 10.4648.
    expect(logLikelihood(30, 10, 1000, 1000)).toBeCloseTo(2 * (30 * Math.log(1.5) + 10 * Math.log(0.5)), 10);
    expect(logLikelihood(30, 10, 1000, 1000)).toBeCloseTo(10.4648, 3);
    expect(logLikelihood(5, 10, 1000, 2000)).toBeCloseTo(0, 12);
    // None against ten: 2 × 10 ln 2.
    expect(logLikelihood(0, 10, 1000, 1000)).toBeCloseTo(20 * Math.LN2, 10);
  });
});

const intervals = new Map<number, { readonly low: number; readonly high: number }>();

function interval(count: number) {
  const known = intervals.get(count) ?? poissonInterval(count, 0.95);
  intervals.set(count, known);
  return known;
}

/** Knuth's multiplication method. */
function poissonCount(random: () => number, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

/** Numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

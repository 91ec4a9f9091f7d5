import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { poissonInterval, wilsonInterval } from "../../src/text/statistics.js";

/** The probability of at most so many, summed term by term. */
function poissonAtMost(count: number, mean: number): number {
  let [sum, term] = [0, Math.exp(-mean)];
  for (let k = 0; k <= count; k++) {
    sum += term;
    term *= mean / (k + 1);
  }
  return sum;
}

const confidence = fc.constantFrom(0.5, 0.9, 0.95, 0.999);

describe("intervals of Poisson counts", () => {
  // So Garwood (1936) defined them.
  it("leave out the same tail on both sides", () => {
    fc.assert(
      fc.property(fc.nat(400), confidence, (count, level) => {
        const { low, high } = poissonInterval(count, level);
        const tail = (1 - level) / 2;
        expect(poissonAtMost(count, high)).toBeCloseTo(tail, 9);
        if (count > 0) expect(1 - poissonAtMost(count - 1, low)).toBeCloseTo(tail, 9);
        else expect(low).toBe(0);
      }),
      { seed: 7, examples: [[0, 0.95]] },
    );
  });

  it("are those of the normal distribution for a large count", () => {
    const { low, high } = poissonInterval(1_000_000, 0.95);
    expect([(1e6 - low) / 1000, (high - 1e6) / 1000]).toEqual([expect.closeTo(1.96, 2), expect.closeTo(1.96, 2)]);
  });
});

describe("intervals of proportions", () => {
  // So Wilson (1927) defined them.
  it("end where the share is as many standard errors away as the confidence demands", () => {
    // Critical values of the normal distribution.
    const critical = new Map([
      [0.5, 0.6744897502],
      [0.9, 1.644853627],
      [0.95, 1.959963985],
      [0.999, 3.290526731],
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        confidence,
        (n, x, level) => {
          const count = Math.round(n * x);
          const { low, high } = wilsonInterval(count, n, level);
          const errors = (p: number) => Math.abs(count / n - p) / Math.sqrt((p * (1 - p)) / n);
          if (count > 0) expect(errors(low)).toBeCloseTo(critical.get(level) as number, 6);
          else expect(low).toBe(0);
          if (count < n) expect(errors(high)).toBeCloseTo(critical.get(level) as number, 6);
          else expect(high).toBe(1);
        },
      ),
      { seed: 7 },
    );
  });
});

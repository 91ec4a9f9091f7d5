import { describe, expect, it } from "vitest";
import { LONG, runs } from "../scale.js";
import { Bodies } from "./bodies.js";
import { BodyChecker, type Outcome } from "./checkBody.js";

/** Bodies. For more, from another seed: `FUZZ=1000000 SEED=7 npm test -- test/pages`. */
const BODIES = runs(400, 100_000);
const SEED = Number(process.env.SEED ?? 1);

describe("the page scanner", () => {
  it("agrees with JSON.parse and plain rules on any body", () => {
    const bodies = new Bodies(SEED);
    const checker = new BodyChecker();
    const outcomes: Record<Outcome, number> = { refused: 0, regular: 0, irregular: 0 };
    for (let at = 0; at < BODIES; at++) {
      const body = bodies.next();
      try {
        outcomes[checker.check(body, bodies.pick([0, 0x22, 0x5d, 0xff, 0x31]))]++;
        if (bodies.chance(20)) checker.finish();
      } catch (error) {
        throw new Error(`body ${at} of seed ${SEED}: ${JSON.stringify(body.toString("latin1")).slice(0, 3000)}`, {
          cause: error,
        });
      }
    }
    // Otherwise the sample proves little.
    expect(outcomes.regular).toBeGreaterThan(0.3 * BODIES);
    expect(outcomes.irregular).toBeGreaterThan(0.1 * BODIES);
    expect(outcomes.refused).toBeGreaterThan(0.05 * BODIES);
  });

  it.each([
    ["text", '"s":"', "é ", '"'],
    ["escapes", '"s":"', "\\n", '"'],
    ["a number", '"n":', "7", ""],
  ])("reads a row of %s of 10 MB (of 1 MB in the short form)", (_what, start, unit, end) => {
    const size = LONG ? 10 * 2 ** 20 : 2 ** 20;
    const row = `{"id":"1",${start}${unit.repeat(size / unit.length)}${end}}`;
    const checker = new BodyChecker();
    expect(checker.check(Buffer.from(`{"rows":[${row},{"id":"2","i":5}]}`), 0xff)).not.toBe("refused");
    checker.finish();
  });

  it("reads rows of 2,000 members", () => {
    const row = (from: number) =>
      `{${Array.from({ length: 2000 }, (_, at) => `"m${(from + at) % 2100}":${at}`).join(",")}}`;
    const checker = new BodyChecker();
    const outcomes = [0, 0].map((from) => checker.check(Buffer.from(`{"rows":[${row(from)}]}`), 0x31));
    expect(outcomes).toEqual(["irregular", "regular"]);
    checker.finish();
  });
});

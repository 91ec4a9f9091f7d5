import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { emittedTexts } from "../src/errors/warn.js";
import { takeLeaks, watchForCanaries } from "./canaryWatch.js";
import { runs } from "./scale.js";
import { sharedState } from "./sharedState.js";

// The same cases in every run, so that a failure is due to the change. FUZZ draws new ones: `FUZZ=5000 npm test -- test/frames`.
if (process.env.FUZZ === undefined) fc.configureGlobal({ seed: 20_261_121, numRuns: runs(100, 100) });

watchForCanaries();
emittedTexts.clear();
// Of the first file of the process: what one file leaves for the next is noticed too.
const shared = globalThis as { stateBefore?: object };
shared.stateBefore ??= sharedState();
afterAll(() => {
  expect(takeLeaks(), "a key was printed").toEqual([]);
  const left = `the tests of this file, or of one before it in the order of ORDER=${process.env.ORDER}, changed what files share`;
  expect(sharedState(), left).toEqual(shared.stateBefore);
});

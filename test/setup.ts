import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { takeLeaks, watchForCanaries } from "./canaryWatch.js";
import { runs } from "./scale.js";
import { sharedState } from "./sharedState.js";

// The same cases in every run, so that a failure is due to the change. FUZZ draws new ones: `FUZZ=5000 npm test -- test/frames`.
if (process.env.FUZZ === undefined) fc.configureGlobal({ seed: 20_261_121, numRuns: runs(100, 100) });

// Tests of the ledger turn it on, in a directory of their own.
process.env.ARCHIVE_LEDGER ??= "off";

watchForCanaries();
const before = sharedState();
afterAll(() => {
  expect(takeLeaks(), "a key was printed").toEqual([]);
  expect(sharedState(), "the tests of this file changed what other files share").toEqual(before);
});

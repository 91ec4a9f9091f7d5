import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { leaks, watchForCanaries } from "./canaryWatch.js";

// The same cases in every run, so that a run says what the change did. FUZZ draws new ones: `FUZZ=5000 npm test -- test/frames`.
if (process.env.FUZZ === undefined) fc.configureGlobal({ seed: 20_261_121 });

watchForCanaries();
afterAll(() => {
  expect(leaks, "a key was printed").toEqual([]);
});

import fc from "fast-check";

// The same cases in every run, so that a run says what the change did. FUZZ draws new ones: `FUZZ=5000 npm test -- test/frames`.
if (process.env.FUZZ === undefined) fc.configureGlobal({ seed: 20_261_121 });

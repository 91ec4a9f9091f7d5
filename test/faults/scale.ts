/** The long form: `FIRE=1`. Without it a sample runs, within `npm test`. */
export const FULL = process.env.FIRE === "1";

/** Cases of a law: tens of thousands in the long form, a hundred in the short one. */
export const RUNS = Number(process.env.FUZZ ?? (FULL ? 20_000 : 100));

/** Whether to run the long forms: `npm run test:long` or `LONG=1`. Otherwise a sample runs, with fixed seeds. */
export const LONG = process.env.LONG === "1";

/** Whether all samples are drawn: in CI and in the long form. */
export const FULL = LONG || process.env.SAMPLES === "full";

/** The number of generated cases: `sample` in CI, a tenth of it in `npm test`, `long` in the long form; `FUZZ` overrides them. */
export function runs(sample: number, long: number = 4 * sample): number {
  const { FUZZ } = process.env;
  if (FUZZ !== undefined) return Number(FUZZ);
  if (LONG) return Math.ceil(long);
  return FULL ? sample : Math.ceil(sample / 10);
}

/** The examples to run: all of them in CI, some from the front in `npm test`. */
export function sampled<T>(examples: readonly T[], some = 1): T[] {
  return FULL ? [...examples] : examples.slice(0, some);
}

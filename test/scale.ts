/** Whether to run the long forms: `npm run test:long` or `LONG=1`. Otherwise a sample runs, with fixed seeds. */
export const LONG = process.env.LONG === "1";

/** Whether all samples are drawn: in CI and in the long form. */
export const FULL = LONG || process.env.SAMPLES === "full";

/** The number of generated cases: `sample` in CI, a third of it in `npm test`, `long` in the long form; `FUZZ` overrides them. */
export function runs(sample: number, long: number = 4 * sample): number {
  const { FUZZ } = process.env;
  if (FUZZ !== undefined) return Number(FUZZ);
  if (LONG) return Math.ceil(long);
  return FULL ? sample : Math.ceil(sample / 3);
}

/** Whether to run the long forms: `npm run test:long` or `LONG=1`. Otherwise a sample runs, with fixed seeds. */
export const LONG = process.env.LONG === "1";

/** The number of generated cases: `sample` in CI, a third of it in `npm test`, `long` in the long form; `FUZZ` overrides them. */
export function runs(sample: number, long: number = 4 * sample): number {
  const { FUZZ, SAMPLES } = process.env;
  if (FUZZ !== undefined) return Number(FUZZ);
  if (LONG) return Math.ceil(long);
  return SAMPLES === "full" ? sample : Math.ceil(sample / 3);
}

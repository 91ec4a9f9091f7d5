/** Whether to run the long forms: `npm run test:long` or `LONG=1`. Otherwise a sample runs, with fixed seeds. */
export const LONG = process.env.LONG === "1";

/** The number of generated cases: `sample` in `npm test`, `long` in the long form; `FUZZ` overrides both. */
export function runs(sample: number, long: number = 4 * sample): number {
  const { FUZZ } = process.env;
  if (FUZZ !== undefined) return Number(FUZZ);
  return Math.ceil(LONG ? long : sample);
}

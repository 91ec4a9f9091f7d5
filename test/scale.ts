/** Whether the long forms run: `npm run test:long`, or `LONG=1`. Otherwise a sample of each does, with the same seeds every time. */
export const LONG = process.env.LONG === "1";

/** The number of generated cases: `sample` in `npm test`, `long` in the long form, and `FUZZ` of any if it is set. */
export function runs(sample: number, long: number = 4 * sample): number {
  const { FUZZ } = process.env;
  if (FUZZ !== undefined) return Number(FUZZ);
  return Math.ceil(LONG ? long : sample);
}

import type { Chart, chart } from "../../../src/notebook/index.js";

export type ChartSpec = Parameters<typeof chart>[1];

/** The rows that a chart draws. */
export function valuesOf({ spec }: Chart): Array<Record<string, unknown>> {
  return (spec.data as { values: Array<Record<string, unknown>> }).values;
}

import type { ClientContext } from "../call/clientContext.js";
import { escaped } from "../util/quoted.js";
import { planSpeeches } from "./planSpeeches.js";

const MAX_LINE = 2000;

/** The queries of `speechesOnBill` with the same arguments, one per line: those that are sent first before the others. Sends none. */
export function explainSpeeches({ output }: ClientContext, first: unknown, second: unknown): string {
  const variants = planSpeeches(first, second, output).bills.flatMap((bill) => bill.variants);
  const queries = (isLater: boolean) =>
    variants.filter((one) => Boolean(one.isLater) === isLater).map(({ query }) => escaped(query, MAX_LINE));
  const [firstQueries, laterQueries] = [new Set(queries(false)), new Set(queries(true))];
  return [...firstQueries, ...(laterQueries.size > 0 ? ["If these find something:", ...laterQueries] : [])].join("\n");
}

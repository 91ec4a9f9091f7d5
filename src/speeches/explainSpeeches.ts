import type { ClientContext } from "../call/clientContext.js";
import { pluralize } from "../util/counts.js";
import { escaped } from "../util/quoted.js";
import { planSpeeches, searchesFor } from "./planSpeeches.js";

const MAX_LINE = 2000;

/** The queries of `speechesOnBill` with the same arguments, one per line, and how many requests it sends at most. Sends none. */
export function explainSpeeches({ output }: ClientContext, first: unknown, second: unknown): string {
  const { bills, maxItems, videotypes, budget } = planSpeeches(first, second, output);
  const queries = new Set(bills.flatMap(({ variants }) => variants.map(({ query }) => escaped(query, MAX_LINE))));
  const searches = bills.flatMap((bill) => searchesFor(bill.variants, bill));
  const requests = maxItems === 0 ? 0 : new Set(searches.map(({ request }) => JSON.stringify(request.query))).size;
  const isCombined = requests > 0 && searches.some(({ videotype }) => videotype === undefined);
  // Each search sends one more request, which confirms its end. A search of each type shows which number the rows have for it.
  const most = pluralize(2 * (requests + (isCombined ? videotypes.length : 0)), "request");
  const limit = `if no search finds more than a page of ${output.pageSize.full} rows, and one per speaker whose title is neither in the rows nor known`;
  return [...queries, `At most ${budget ? pluralize(budget.maxRequests, "request") : `${most} ${limit}`}.`].join("\n");
}

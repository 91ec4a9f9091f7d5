import type { ClientContext } from "../call/clientContext.js";
import { pluralize } from "../util/counts.js";
import { escaped } from "../util/quoted.js";
import { firstVariants, planSpeeches, searchesFor } from "./planSpeeches.js";

const MAX_LINE = 2000;

/** The queries of `speechesOnBill` with the same arguments, one per line, and how many requests it sends at most. Sends none. */
export function explainSpeeches({ output }: ClientContext, first: unknown, second: unknown): string {
  const { bills, maxItems, maxRequests, videotypes } = planSpeeches(first, second, output);
  const planned = bills.map((bill) => ({ bill, variants: [...new Set([...firstVariants(bill), ...bill.variants])] }));
  const queries = new Set(planned.flatMap(({ variants }) => variants.map(({ query }) => escaped(query, MAX_LINE))));
  const searches = planned.flatMap(({ bill, variants }) => searchesFor(variants, bill));
  const requests = maxItems === 0 ? 0 : new Set(searches.map(({ request }) => JSON.stringify(request.query))).size;
  const types = requests > 0 && bills.some(({ combineTypes }) => combineTypes) && videotypes.length > 1;
  // Each search sends one more request, which confirms its end.
  const most = 2 * requests + (types ? videotypes.length : 0);
  const limit =
    maxRequests === undefined
      ? `${pluralize(most, "request")} if no search finds more than a page of ${output.pageSize.full} rows, and one per speaker whose title is neither in the rows nor known`
      : pluralize(maxRequests, "request");
  return [...queries, `At most ${limit}.`].join("\n");
}

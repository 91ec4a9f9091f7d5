import type { ClientContext } from "../call/clientContext.js";
import { escaped } from "../util/quoted.js";
import { TITLE_WORDS } from "./chamber.js";
import { ordinal } from "./congressDates.js";
import type { FormYields } from "./formYields.js";
import { type BillPlan, planSpeeches, type SpeechesPlan } from "./planSpeeches.js";

/** Longer lines are clipped. */
const MAX_LINE = 2000;
/** Longer queries do not widen the column. */
const MAX_QUERY = 60;

/** Describes the requests of `speechesOnBill` with the same arguments, and their cost. Sends none. */
export function explainSpeeches(
  { output, baseUrl }: ClientContext,
  forms: FormYields,
  first: unknown,
  second: unknown,
): string {
  const plan = planSpeeches(first, second, output);
  const billLines = plan.bills.flatMap((bill) => [
    line("bill", nameOf(bill)),
    ...queriesOf(bill, plan, forms).map((text, at) => line(at === 0 ? "queries" : "", text)),
    line("dates", datesOf(bill)),
  ]);
  const speakers =
    plan.chamber === "any" ? "all" : `those whose title has ${TITLE_WORDS[plan.chamber]}  (${plan.chamber})`;
  return [
    "SPEECHES ON A BILL",
    ...billLines,
    line("types", plan.videotypes.join(", ")),
    line("speakers", speakers),
    line("service", baseUrl),
    line("requests", costOf(plan, output.pageSize)),
  ].join("\n");
}

function line(name: string, text: string): string {
  return escaped(`  ${name.padEnd(10)} ${text}`, MAX_LINE);
}

/** Each query with its cost and what its form has found before, in the order in which a budget allows them. */
function queriesOf({ variants }: BillPlan, { videotypes }: SpeechesPlan, forms: FormYields): string[] {
  const order = forms.order(variants.map(({ form }) => form));
  const sorted = [...variants].sort((a, b) => order.indexOf(a.form) - order.indexOf(b.form));
  const width = Math.max(...sorted.map(({ query }) => Math.min(query.length, MAX_QUERY)));
  return sorted.map(({ query, form, isAmbiguous }) => {
    const found = forms.of(form);
    const notes = [
      form === query ? "" : form,
      isAmbiguous ? "chamber unknown" : "",
      `${count(videotypes.length, "request")} or more`,
      found === undefined
        ? ""
        : `found ${count(found.speeches, "speech", "speeches")} in ${count(found.searches, "search", "searches")}`,
    ];
    return `${query.padEnd(width)}  ${notes.filter(Boolean).join(", ")}`;
  });
}

function nameOf({ bill: { title, number, congress } }: BillPlan): string {
  const parts = [title, number, congress === null ? null : `${ordinal(congress)} Congress`];
  return parts.filter((part) => part !== null).join(", ") || "custom queries";
}

function datesOf({ mindate, maxdate, hasCongressDates, bill }: BillPlan): string {
  if (mindate === undefined && maxdate === undefined) return "any";
  const from = mindate === undefined ? "" : `from ${mindate}`;
  const to = maxdate === undefined ? "" : `to ${maxdate}`;
  const note = hasCongressDates ? `  (the ${ordinal(bill.congress as number)} Congress)` : "";
  return `${[from, to].filter(Boolean).join(" ")}${note}`;
}

function costOf(plan: SpeechesPlan, pageSize: number): string {
  const { maxRequests } = plan;
  const cost = searchCost(plan, pageSize);
  return maxRequests === undefined || cost === "none"
    ? cost
    : `at most ${maxRequests} (maxRequests); without it ${cost}`;
}

function searchCost({ bills, videotypes, maxItems }: SpeechesPlan, pageSize: number): string {
  const keys = bills.flatMap(({ searches }) => searches.map(({ request }) => JSON.stringify(request.query)));
  const searches = new Set(keys).size;
  if (searches === 0 || maxItems === 0) return "none";
  const variants = bills.reduce((sum, bill) => sum + bill.variants.length, 0);
  const shared = keys.length > searches ? `, ${keys.length - searches} of them shared` : "";
  const minimum = `at least ${searches} (${count(variants, "query", "queries")} × ${count(videotypes.length, "type")}${shared})`;
  const lookups = "whose title is neither in the rows nor known from an earlier call";
  if (maxItems === undefined) {
    return `${minimum}, at most one per ${pageSize} rows found, one to confirm the end of each search (a few more for long searches, which fetch pages ahead), and one per speaker ${lookups}`;
  }
  const pages = searches * Math.ceil(maxItems / pageSize);
  const rows = searches * maxItems;
  return `${minimum}, at most ${pages + rows}: ${count(pages, "page")}, and one per speaker in ${count(rows, "row")} ${lookups}`;
}

function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

import type { ClientContext } from "../call/clientContext.js";
import { ordinal } from "../members/congressDates.js";
import { escaped } from "../util/quoted.js";
import { titlePatterns } from "./judge/titlePattern.js";
import {
  type BillPlan,
  billText,
  planSpeeches,
  type SpeechesPlan,
  type SpeechSearch,
  searchesFor,
} from "./planSpeeches.js";
import type { LaterVariant, QueryVariant } from "./queryVariants.js";
import type { FormYields } from "./runSearches.js";
import { TITLE_WORDS } from "./speakers.js";

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
    line("bill", billText(bill.bill)),
    ...queriesOf(bill, plan, forms).map((text, at) => line(at === 0 ? "queries" : "", text)),
    line("dates", datesOf(bill)),
  ]);
  const ofChamber = plan.members === undefined ? "those" : "members of that chamber on the day; others";
  const speakers =
    plan.chamber === "any" ? "all" : `${ofChamber} whose title has ${TITLE_WORDS[plan.chamber]}  (${plan.chamber})`;
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
function queriesOf({ variants, later }: BillPlan, { videotypes }: SpeechesPlan, forms: FormYields): string[] {
  const order = forms.order(variants.map(({ form }) => form));
  const sorted = [...variants].sort((a, b) => order.indexOf(a.form) - order.indexOf(b.form));
  const width = Math.max(...[...sorted, ...later].map(({ query }) => Math.min(query.length, MAX_QUERY)));
  const line = ({ query, form, isAmbiguous }: QueryVariant, when: string) => {
    const found = forms.of(form);
    const notes = [
      form === query ? "" : form,
      isAmbiguous ? "chamber unknown" : "",
      when,
      `${count(videotypes.length, "request")} or more`,
      found === undefined
        ? ""
        : `found ${count(found.speeches, "speech", "speeches")} in ${count(found.searches, "search", "searches")}`,
    ];
    return `${query.padEnd(width)}  ${notes.filter(Boolean).join(", ")}`;
  };
  return [
    ...sorted.map((variant) => line(variant, "")),
    ...later.map((variant) =>
      line(variant, variant.kind === undefined ? "later" : "later, if its chamber is possible"),
    ),
  ];
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
  const keys = bills.flatMap(({ searches }) => searches.map(keyOf));
  const first = new Set(keys);
  if (first.size === 0 || maxItems === 0) return "none";
  const laterKeys = (variantsOf: (bill: BillPlan) => readonly QueryVariant[]) =>
    bills.flatMap((bill) => searchesFor(variantsOf(bill), videotypes, bill).map(keyOf));
  const least = new Set([...keys, ...laterKeys(fewestLater)]).size;
  const titles = bills.reduce((sum, bill) => sum + repairedTitles(bill), 0) * videotypes.length;
  const most = new Set([...keys, ...laterKeys(({ later }) => later)]).size + titles;
  const variants = bills.reduce((sum, bill) => sum + bill.variants.length, 0);
  const shared = keys.length > first.size ? `, ${keys.length - first.size} of them shared` : "";
  const more =
    most > first.size ? `, then ${range(least - first.size, most - first.size)} more, as the texts decide` : "";
  const minimum = `at least ${least} (${count(variants, "query", "queries")} × ${count(videotypes.length, "type")}${shared}${more})`;
  const lookups = "whose title is neither in the rows nor known from an earlier call";
  if (maxItems === undefined) {
    return `${minimum}, at most one per ${pageSize} rows found, one to confirm the end of each search (a few more for long searches, which fetch pages ahead), and one per speaker ${lookups}`;
  }
  const pages = most * Math.ceil(maxItems / pageSize);
  const rows = most * maxItems;
  return `${minimum}, at most ${pages + rows}: ${count(pages, "page")}, and one per speaker in ${count(rows, "row")} ${lookups}`;
}

function keyOf({ request }: SpeechSearch): string {
  return JSON.stringify(request.query);
}

/** The later queries of a bill if the texts decide for the kind with the fewest of them. */
function fewestLater({ later, judged }: BillPlan): readonly LaterVariant[] {
  const byKind = (judged?.kinds ?? []).map((kind) =>
    later.filter((one) => one.kind === undefined || one.kind === kind),
  );
  return byKind.reduce((least, one) => (one.length < least.length ? one : least), later);
}

/** How many queries a title that lost letters may add, as the texts say it. */
function repairedTitles({ damagedTitle }: BillPlan): number {
  return damagedTitle === undefined ? 0 : titlePatterns(damagedTitle).length;
}

function range(least: number, most: number): string {
  return least === most ? String(most) : `${least} to ${most}`;
}

function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

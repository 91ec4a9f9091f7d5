import type { ClientContext } from "../call/clientContext.js";
import { CHAMBER_TITLES } from "../members/speakers.js";
import { escaped } from "../util/quoted.js";
import {
  type BillPlan,
  billText,
  firstVariants,
  planSpeeches,
  type SpeechesPlan,
  type SpeechSearch,
  searchesFor,
} from "./planSpeeches.js";

const MAX_LINE = 2000;
/** Longer queries do not widen the column. */
const MAX_QUERY = 60;

/** Describes the requests of `speechesOnBill` with the same arguments, and their cost. Sends none. */
export function explainSpeeches({ output, baseUrl }: ClientContext, first: unknown, second: unknown): string {
  const plan = planSpeeches(first, second, output);
  const speakers = plan.chamber === "any" ? "all" : `those whose title has ${CHAMBER_TITLES[plan.chamber][1]}`;
  return [
    "SPEECHES ON A BILL",
    ...plan.bills.flatMap((bill) => [
      line("bill", billText(bill.bill)),
      ...queriesOf(bill).map((text, at) => line(at === 0 ? "queries" : "", text)),
      line("dates", datesOf(bill)),
    ]),
    line("types", plan.videotypes.join(", ")),
    line("speakers", `${speakers}  (${plan.chamber})`),
    line("doubtful", doubtfulOf(plan)),
    line("service", baseUrl),
    line("requests", costOf(plan, output.pageSize.full)),
  ].join("\n");
}

function line(name: string, text: string): string {
  return escaped(`  ${name.padEnd(10)} ${text}`, MAX_LINE);
}

/** Each query with its form, in the order of the searches. */
function queriesOf(bill: BillPlan): string[] {
  const first = firstVariants(bill);
  const all = [...new Set([...first, ...bill.variants])];
  const width = Math.max(...all.map(({ query }) => Math.min(query.length, MAX_QUERY)));
  return all.map(({ query, form, isAmbiguous }, at) => {
    const later = isAmbiguous ? "later, if its chamber is possible" : "later";
    const notes = [form, isAmbiguous ? "chamber unknown" : "", at < first.length ? "" : later];
    return `${query.padEnd(width)}  ${notes.filter(Boolean).join(", ")}`;
  });
}

function datesOf({ mindate, maxdate }: BillPlan): string {
  const days = [mindate === undefined ? "" : `from ${mindate}`, maxdate === undefined ? "" : `to ${maxdate}`];
  return days.filter(Boolean).join(" ") || "any";
}

/** Which passages are left out as doubtful, and how to have a sample of all coded. */
function doubtfulOf({ minConfidence }: SpeechesPlan): string {
  if (minConfidence === 0) return "none is left out, see the column confidence";
  const all = "await archive.speechesOnBill(bill, { minConfidence: 0 })";
  return (
    `confidence below ${minConfidence}, left out. To code a sample and measure precision and recall, type ` +
    `codingPage(sampleRows(${all}, { rows: 100 }), book, "coding/") of archive-frames/coding`
  );
}

function costOf({ bills, maxItems, maxRequests, videotypes }: SpeechesPlan, pageSize: number): string {
  const keys = (searches: readonly SpeechSearch[]) => searches.map(({ request }) => JSON.stringify(request.query));
  const first = bills.flatMap((bill) => keys(searchesFor(firstVariants(bill), bill)));
  const least = new Set(first).size;
  if (least === 0 || maxItems === 0) return "none";
  const later = bills.flatMap((bill) => keys(searchesFor(bill.variants, bill)));
  const more = new Set([...first, ...later]).size - least;
  const types = bills.some(({ combineTypes }) => combineTypes) && videotypes.length > 1 ? videotypes.length : 0;
  const limit = maxRequests === undefined ? "" : `at most ${maxRequests} (maxRequests); without it `;
  const parts = [
    ...(more === 0 ? [] : [`up to ${more} more searches, as the texts decide`]),
    "one that confirms the end of each search with rows",
    ...(types === 0 ? [] : [`${types} for the numbers of video types, unless an earlier call has shown them`]),
  ];
  const rows = maxItems === undefined ? "" : `, at most ${maxItems} per search`;
  return (
    `${limit}${least} if nothing is found, at most ${2 * (least + more) + types} where no search finds more than a page of ${pageSize} rows${rows}: ` +
    `${parts.join("; ")}. And one per speaker whose title is neither in the rows nor known`
  );
}

import type { ClientContext } from "../call/clientContext.js";
import { escaped } from "../util/quoted.js";
import { TITLES } from "./chamber.js";
import { type BillPlan, checkSpeeches, type SpeechPlan } from "./checkSpeeches.js";
import { ordinal } from "./congressDates.js";

/** A longer line is clipped. */
const MAX_LINE = 2000;

/** What `speechesOnBill` will ask with the same arguments, and what that can cost. Asks nothing. */
export function explainSpeeches({ output, baseUrl }: ClientContext, first: unknown, second: unknown): string {
  const plan = checkSpeeches(first, second, output);
  const lines = plan.bills.flatMap((bill) => [
    line("bill", named(bill)),
    line("queries", bill.variants.join("  ")),
    line("dates", dates(bill)),
  ]);
  const keeps =
    plan.chamber === "any" ? "every speaker" : `speakers whose title has ${TITLES[plan.chamber]}  (${plan.chamber})`;
  return [
    "SPEECHES ON A BILL",
    ...lines,
    line("types", plan.videotypes.join(", ")),
    line("keeps", keeps),
    line("asks", baseUrl),
    line("requests", cost(plan, output.pageSize)),
  ].join("\n");
}

function line(name: string, text: string): string {
  return escaped(`  ${name.padEnd(10)} ${text}`, MAX_LINE);
}

function named({ bill: { title, number, congress } }: BillPlan): string {
  const parts = [title, number, congress === null ? null : `${ordinal(congress)} Congress`];
  return parts.filter((part) => part !== null).join(", ") || "queries by hand";
}

function dates({ mindate, maxdate, byCongress, bill }: BillPlan): string {
  if (mindate === undefined && maxdate === undefined) return "any";
  const from = mindate === undefined ? "" : `from ${mindate}`;
  const to = maxdate === undefined ? "" : `to ${maxdate}`;
  const note = byCongress ? `  (the ${ordinal(bill.congress as number)} Congress)` : "";
  return `${[from, to].filter(Boolean).join(" ")}${note}`;
}

function cost({ bills, videotypes, maxItems }: SpeechPlan, pageSize: number): string {
  const all = bills.flatMap(({ searches }) => searches.map(({ request }) => JSON.stringify(request.query)));
  const searches = new Set(all).size;
  if (searches === 0 || maxItems === 0) return "none";
  const variants = bills.reduce((sum, bill) => sum + bill.variants.length, 0);
  const shared = all.length > searches ? `, ${all.length - searches} of them shared` : "";
  const least = `at least ${searches} (${count(variants, "query", "queries")} × ${count(videotypes.length, "type")}${shared})`;
  if (maxItems === undefined) {
    return `${least}, at most one for each ${pageSize} rows found, one more for the end of each search (a few more where many pages are asked ahead), and one for each speaker whose title the rows do not say and who was not looked up before`;
  }
  const pages = searches * Math.ceil(maxItems / pageSize);
  const rows = searches * maxItems;
  return `${least}, at most ${pages + rows}: ${count(pages, "page")}, and one for each speaker of ${count(rows, "row")} whose title the rows do not say and who was not looked up before`;
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}

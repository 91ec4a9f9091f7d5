import type { SearchName } from "../service/operations/operations.js";
import { escaped } from "../util/quoted.js";
import type { ScanPlan } from "./scanPlan.js";

/** A longer line is clipped. */
const MAX_LINE = 2000;

/** What a plan is explained with. */
export interface ExplainContext {
  readonly operation: SearchName;
  readonly baseUrl: string;
  readonly pageSize: number;
  readonly concurrency: number;
}

/** A plan in words: the requests, what the service takes over, what runs here and when, and what it can cost. */
export function explainPlan(plan: ScanPlan, { operation, baseUrl, pageSize, concurrency }: ExplainContext): string {
  const { request, pushed, streamed, gathered } = plan;
  const limit = operation === "mentions" ? limitOf(plan, pageSize) : undefined;
  const sent = [
    ...request.query,
    ...(limit === undefined || hasLimit(plan) ? [] : [["limit", String(limit)] as const]),
  ];
  const lines = [
    `SCAN ${operation}`,
    `  request    GET ${request.path}  ${sent.map(([name, value]) => `${name}=${value}`).join("  ")}`,
    `  answered by ${baseUrl}`,
  ];
  const taken = Object.entries(pushed.parameters).map(([name, value]) => `${name}=${value}`);
  lines.push(`  pushed     ${taken.length === 0 ? "nothing" : `${taken.join("  ")}  (applied here as well)`}`);
  if (pushed.stop !== undefined) {
    lines.push(
      `  stops      when a page is beyond ${new Date(pushed.stop.moment).toISOString()}, sorted by the service`,
    );
  }
  for (const step of streamed) lines.push(`  by page    ${step.text}`);
  for (const step of gathered) lines.push(`  ${step === gathered[0] ? "gathers   " : "then      "} ${step.text}`);
  lines.push(`  page size  ${limit === undefined ? "the service's" : `${limit} rows`}`);
  lines.push(`  requests   ${cost(plan, limit, concurrency)}`);
  // A query or the name of a column may hold anything.
  return lines.map((text) => escaped(text, MAX_LINE)).join("\n");
}

function hasLimit({ request }: ScanPlan): boolean {
  return request.query.some(([name]) => name === "limit");
}

function limitOf(plan: ScanPlan, pageSize: number): number {
  const given = plan.request.query.find(([name]) => name === "limit")?.[1];
  return given === undefined ? Math.min(pageSize, plan.rowsNeeded || pageSize) : Number(given);
}

function cost({ rowsNeeded, mayEndEarly }: ScanPlan, limit: number | undefined, concurrency: number): string {
  if (rowsNeeded === 0) return "none";
  if (rowsNeeded !== undefined && limit !== undefined) {
    const pages = Math.ceil(rowsNeeded / limit);
    return pages === 1 ? "1" : `at least 1, at most ${pages} (more where the service gives smaller pages)`;
  }
  const ahead =
    mayEndEarly || concurrency === 1 ? "" : `; up to ${concurrency} at once, and so many beyond the end at most`;
  const size = limit === undefined ? "one for each page" : `one for each ${limit} rows`;
  return `at least 1, at most ${size} that match, and one to see the end${ahead}`;
}

import type { Count } from "../call/countOptions.js";
import type { SearchName } from "../service/operations/operations.js";
import { escaped } from "../util/quoted.js";
import type { ScanPlan } from "./scanPlan.js";

/** Longer lines are clipped. */
const MAX_LINE = 2000;

/** What an explanation needs besides the plan. */
export interface ExplainContext {
  readonly operation: SearchName;
  readonly baseUrl: string;
  readonly pageSize: number;
  readonly concurrency: number;
  /** What `archive.count` has found for the request. */
  readonly counted: Count | undefined;
}

/** Describes a plan: the request, what the service does, what runs here, and how many requests it can take. */
export function explainPlan(plan: ScanPlan, context: ExplainContext): string {
  const { operation, baseUrl, pageSize, concurrency, counted } = context;
  const { request, pushed, streamed, gathered } = plan;
  const limit = operation === "mentions" ? limitOf(plan, pageSize) : undefined;
  const sent = [
    ...request.query,
    ...(limit === undefined || hasLimit(plan) ? [] : [["limit", String(limit)] as const]),
  ];
  const lines = [
    `SCAN ${operation}`,
    `  request    GET ${request.path}  ${sent.map(([name, value]) => `${name}=${value}`).join("  ")}`,
    `  service    ${baseUrl}`,
  ];
  const parameters = Object.entries(pushed.parameters).map(([name, value]) => `${name}=${value}`);
  lines.push(
    `  pushed     ${parameters.length === 0 ? "nothing" : `${parameters.join("  ")}  (applied here as well)`}`,
  );
  if (counted !== undefined)
    lines.push(`  rows       ${counted.rows.toLocaleString("en-US")}, ${counted.verdict}, as counted`);
  if (pushed.stop !== undefined) {
    const date = new Date(pushed.stop.timestamp).toISOString();
    lines.push(`  stops      once the rows, sorted by the service, have passed ${date}`);
  }
  for (const verb of streamed) lines.push(`  by page    ${verb.text}`);
  for (const verb of gathered) lines.push(`  ${verb === gathered[0] ? "all rows  " : "then      "} ${verb.text}`);
  lines.push(`  page size  ${limit === undefined ? "the service's" : `${limit} rows`}`);
  lines.push(`  requests   ${requestRange(plan, limit, concurrency)}`);
  // A query or a column name may contain anything.
  return lines.map((text) => escaped(text, MAX_LINE)).join("\n");
}

function hasLimit({ request }: ScanPlan): boolean {
  return request.query.some(([name]) => name === "limit");
}

function limitOf(plan: ScanPlan, pageSize: number): number {
  const given = plan.request.query.find(([name]) => name === "limit")?.[1];
  return given === undefined ? Math.min(pageSize, plan.rowsNeeded || pageSize) : Number(given);
}

function requestRange({ rowsNeeded, mayEndEarly }: ScanPlan, limit: number | undefined, concurrency: number): string {
  if (rowsNeeded === 0) return "none";
  if (rowsNeeded !== undefined && limit !== undefined) {
    const pages = Math.ceil(rowsNeeded / limit);
    return pages === 1 ? "1" : `at least 1, at most ${pages} (more if the service sends smaller pages)`;
  }
  const ahead =
    mayEndEarly || concurrency === 1 ? "" : `; up to ${concurrency} in parallel, of which some may be past the end`;
  const size = limit === undefined ? "one per page" : `one per ${limit} rows`;
  return `at least 1, at most ${size} that match, and one to confirm the end${ahead}`;
}

import type { Verdict } from "../../src/index.js";
import type { Case } from "./cases.js";
import { expectedRows } from "./expected.js";
import { textOf } from "./server/corpus.js";

/** The kinds of violations, as `README.md` defines them. */
type Problem = "lost" | "doubled" | "wrong" | "silent" | "untyped" | "again" | "leaked" | "hung" | "left open";

/** An invariant that a case broke, and how. */
export interface Violation {
  readonly problem: Problem;
  readonly detail: string;
}

/** The number of a row if all its compared members agree on it, otherwise the row as JSON. */
function numberOf(row: object): number | string {
  const { id, text, billtitle, length, billnumber } = row as Record<string, unknown>;
  const n = Number(id);
  const said = Number(length ?? billnumber);
  return (text ?? billtitle) === textOf(n) && said === n ? n : JSON.stringify(row).slice(0, 200);
}

/** Compares rows with those that a case may return; `whole` if these are all rows. */
export function judgeRows(of: Case, rows: readonly object[], whole: boolean): Violation[] {
  const seen = rows.map(numberOf);
  if (of.call.isUnordered) seen.sort((a, b) => Number(a) - Number(b));
  const possible = expectedRows(of).map((list) => (whole ? list : list.slice(0, seen.length)));
  if (possible.some((list) => list.length === seen.length && list.every((n, at) => n === seen[at]))) return [];
  const wanted = possible[0] as number[];
  const lost = wanted.filter((n) => !seen.includes(n));
  const doubled = seen.filter((n, at) => seen.indexOf(n) !== at);
  const wrong = seen.filter((n) => typeof n === "string" || !wanted.includes(n));
  const violation = (problem: Problem, list: readonly unknown[]) =>
    list.length === 0 ? [] : [{ problem, detail: `rows ${list.join(", ")}` }];
  const found = [...violation("lost", lost), ...violation("doubled", doubled), ...violation("wrong", wrong)];
  return found.length > 0 ? found : violation("wrong", ["in the wrong order:", ...seen]);
}

/** Compares the verdict with the request. */
export function judgeVerdict({ fault, call }: Case, rows: number, verdict: Verdict | undefined): Violation[] {
  if (verdict === undefined) return [];
  const right: Verdict[] = ["complete"];
  if (call.isOnePage) right.push("capped");
  // A misleading cursor may legitimately end at the last requested row.
  if (rows === call.maxItems) right.splice(0, fault.page === undefined ? 1 : 0, "capped");
  return right.includes(verdict) ? [] : [{ problem: "silent", detail: `the verdict is ${verdict}` }];
}

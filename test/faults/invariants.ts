import type { Verdict } from "../../src/index.js";
import type { Case } from "./cases.js";
import { expectedRows } from "./expected.js";
import { textOf } from "./server/corpus.js";

/** What a case can find wrong. */
export const PROBLEMS = [
  "lost",
  "doubled",
  "wrong",
  "silent",
  "untyped",
  "again",
  "leaked",
  "hung",
  "left open",
] as const;

/**
 * - lost: a row is missing, or what is safe cannot be gone on from
 * - doubled: a row came twice
 * - wrong: a row with other contents, in another place, or from nowhere
 * - silent: a result where there had to be an error, or the other way round, or a verdict that is not so
 * - untyped: an error that is no ArchiveError, or of another code; a rejection that nobody handles
 * - again: something was asked for that was there already
 * - leaked: the key shows somewhere
 * - hung: not over in time
 * - left open: a connection, or a file beside the target
 */
export type Problem = (typeof PROBLEMS)[number];

/** Something that a case has found wrong. */
export interface Violation {
  readonly problem: Problem;
  readonly detail: string;
}

/** The number of a row, where it is one of ours in every member that is compared; its JSON where not. */
function numberOf(row: object): number | string {
  const { id, text, billtitle, length, billnumber } = row as Record<string, unknown>;
  const n = Number(id);
  const said = Number(length ?? billnumber);
  return (text ?? billtitle) === textOf(n) && said === n ? n : JSON.stringify(row).slice(0, 200);
}

/** Holds rows to those that may come of a case; `whole` where nothing is to follow. */
export function judgeRows(of: Case, rows: readonly object[], whole: boolean): Violation[] {
  const seen = rows.map(numberOf);
  if (of.way.unordered) seen.sort((a, b) => Number(a) - Number(b));
  const possible = expectedRows(of).map((list) => (whole ? list : list.slice(0, seen.length)));
  if (possible.some((list) => list.length === seen.length && list.every((n, at) => n === seen[at]))) return [];
  const wanted = possible[0] as number[];
  const lost = wanted.filter((n) => !seen.includes(n));
  const doubled = seen.filter((n, at) => seen.indexOf(n) !== at);
  const wrong = seen.filter((n) => typeof n === "string" || !wanted.includes(n));
  const told = (problem: Problem, list: readonly unknown[]) =>
    list.length === 0 ? [] : [{ problem, detail: `rows ${list.join(", ")}` }];
  const found = [...told("lost", lost), ...told("doubled", doubled), ...told("wrong", wrong)];
  return found.length > 0 ? found : told("wrong", ["in another order:", ...seen]);
}

/** Holds a verdict to what was asked for. */
export function judgeVerdict({ fault, way }: Case, rows: number, verdict: Verdict | undefined): Violation[] {
  if (verdict === undefined) return [];
  const right: Verdict[] = ["complete"];
  if (way.onePage) right.push("capped");
  // The last row that was asked for may be the last one that a misleading cursor leads to.
  if (rows === way.most) right.splice(0, fault.page === undefined ? 1 : 0, "capped");
  return right.includes(verdict) ? [] : [{ problem: "silent", detail: `the verdict is ${verdict}` }];
}

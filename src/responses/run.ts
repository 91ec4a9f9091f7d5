import { byCodeUnit } from "../util/byCodeUnit.js";
import type { ResponseLine } from "./log.js";

/** The responses to one pagination, count or sample, in order of arrival. A lookup is a run of one request. */
export class Run {
  readonly responses = new Map<string, ResponseLine>();
  /** The rows that it returned, `Infinity` for all of the search; -1 if it was interrupted. */
  rows = -1;

  /** @param isOurs whether this client records it */
  constructor(readonly isOurs: boolean) {}

  get first(): ResponseLine | undefined {
    return this.responses.values().next().value;
  }
}

/**
 * The run from which a pagination goes on: the newest with enough rows, otherwise the newest that ended, otherwise the newest. It has the
 * same responses so far, or began after them: rows that moved may then come twice, but none is missing.
 *
 * @param runs those with the next request, oldest first
 * @param rows rows wanted: 0 for the first page only, `Infinity` for all
 * @param before the responses so far
 */
export function chooseRun(runs: readonly Run[], get: string, rows: number, before: readonly ResponseLine[]) {
  const begin = ({ first }: Run) => first?.receivedAt ?? "";
  const candidates = runs
    .filter(
      (run) =>
        before.every(({ receivedAt }) => receivedAt <= begin(run)) ||
        before.every(({ get, sha256 }) => run.responses.get(get)?.sha256 === sha256),
    )
    .reverse()
    .sort((one, other) => byCodeUnit(begin(other), begin(one)));
  const starts = [before[0]?.get ?? get, get];
  // One that began on another page counts only if it reached the end of the search.
  const ended = (least: number) =>
    candidates.find((run) => run.rows >= least && (starts.includes(run.first?.get ?? "") || run.rows === Infinity));
  return ended(rows) ?? ended(0) ?? candidates[0];
}

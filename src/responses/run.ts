import type { ResponseFacts } from "../service/http/requester.js";

/** A response. Its body is in the file named by its hash, unless it is small: then it is in the line, gzip in base64. */
export interface ResponseLine extends ResponseFacts {
  /** Id of its run. */
  readonly run: string;
  readonly sha256: string;
  readonly gzip?: string;
}

/** The responses to one pagination, count or sample, in order of arrival. A lookup is a run of one request. */
export class Run {
  readonly responses = new Map<string, ResponseLine>();
  /** The rows that it returned, `Infinity` for all of the search; -1 if it was interrupted. */
  rows = -1;

  /** When its first response arrived. */
  get begin(): string {
    const [first] = this.responses.values();
    return first?.receivedAt ?? "";
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
export function chooseRun(runs: readonly Run[], rows: number, before: readonly ResponseLine[]): Run | undefined {
  const isLater = ({ begin }: Run) => before.every(({ receivedAt }) => receivedAt <= begin);
  const isSame = (run: Run) => before.every(({ get, sha256 }) => run.responses.get(get)?.sha256 === sha256);
  const newest = runs.filter((run) => isLater(run) || isSame(run)).toReversed();
  return newest.find((run) => run.rows >= rows) ?? newest.find((run) => run.rows >= 0) ?? newest[0];
}

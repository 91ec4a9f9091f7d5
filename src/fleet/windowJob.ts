import { type Search, searchId } from "../corpus/definition/search.js";
import { type Window, windowOf } from "../corpus/definition/windows.js";
import { isObject } from "../util/isObject.js";

/** A window as a job. Redis is not trusted: `windowOfJob` checks what comes out of it. */
export interface WindowJob {
  readonly parameters: Readonly<Record<string, string>>;
  readonly name: string;
  readonly mindate?: string | undefined;
  readonly maxdate?: string | undefined;
  readonly round: number;
  /** See `FetchOptions.reading`. */
  readonly reading: number;
  readonly pageSize?: number | undefined;
  readonly confirmEnd?: boolean | undefined;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Id of the job of a window. */
export const jobId = ({ key }: Pick<Window, "key">, round: number, reading: number): string =>
  `${key}-${round}-${reading}`;

/** The window of a job. Undefined if the job is not valid. */
export function windowOfJob(job: unknown): Window | undefined {
  if (!isObject(job) || !isObject(job.parameters)) return undefined;
  const { parameters, name, mindate, maxdate, round, reading, pageSize } = job as Record<string, unknown> & WindowJob;
  if (typeof name !== "string" || !isCount(round) || !isCount(reading)) return undefined;
  if (pageSize !== undefined && !(isCount(pageSize) && pageSize > 0)) return undefined;
  const search: Search = { id: searchId(parameters), parameters, labels: {} };
  try {
    return windowOf(search, name, mindate, maxdate);
  } catch {
    return undefined;
  }
}

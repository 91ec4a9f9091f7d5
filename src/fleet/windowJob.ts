import { type Search, searchId } from "../corpus/definition/search.js";
import { type Window, windowOf as windowOfSearch } from "../corpus/definition/windows.js";
import { APIError, ArchiveError, AuthenticationError, NotFoundError, RateLimitError } from "../errors/index.js";
import { isObject } from "../util/isObject.js";

/** A window as a job. Redis is not trusted: `windowOf` checks what comes out of it. */
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

/** The result of a job. The rows are in the storage. */
export interface WindowResult {
  /** "landed", "capped" (the budget is used up) or "failed". After the last two the storage may have a journal. */
  readonly end: "landed" | "capped" | "failed";
  readonly requests: number;
  readonly pages: number;
  readonly rows: number;
  /** Id of the key that the worker used. */
  readonly key: string;
  readonly hasJournal?: boolean | undefined;
  readonly error?: object | undefined;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Id of the job of a window. */
export const jobId = ({ key }: Pick<Window, "key">, round: number, reading: number): string =>
  `${key}-${round}-${reading}`;

/** The window of a job. Undefined if the job is not valid. */
export function windowOf(job: unknown): Window | undefined {
  if (!isObject(job) || !isObject(job.parameters)) return undefined;
  const { parameters, name, mindate, maxdate, round, reading, pageSize } = job as Record<string, unknown> & WindowJob;
  if (typeof name !== "string" || !isCount(round) || !isCount(reading)) return undefined;
  if (pageSize !== undefined && !(isCount(pageSize) && pageSize > 0)) return undefined;
  const search: Search = { id: searchId(parameters), parameters, labels: {} };
  try {
    return windowOfSearch(search, name, mindate, maxdate);
  } catch {
    return undefined;
  }
}

/** The result of a job. Undefined if it is not valid. */
export function resultOf(value: unknown): WindowResult | undefined {
  if (!isObject(value)) return undefined;
  const { end, requests, pages, rows, key, error } = value as unknown as WindowResult;
  const isEnd = ["landed", "capped", "failed"].includes(end) && typeof key === "string";
  const isResult = isEnd && [requests, pages, rows].every(isCount);
  return isResult && (end !== "failed" || isObject(error)) ? (value as unknown as WindowResult) : undefined;
}

/** Serializes an error of a worker for the coordinator: the public fields of a typed error, nothing of any other. */
export function errorJson(error: unknown): object {
  if (!(error instanceof ArchiveError)) return { message: "a worker failed unexpectedly." };
  const { retryAfter, isQuota } = error as RateLimitError;
  return { ...error.toJSON(), retryAfter, isQuota };
}

const API_ERRORS = new Map(
  Object.entries({ APIError, AuthenticationError, NotFoundError, RateLimitError }) as [string, typeof APIError][],
);

/** Restores an error that `errorJson` has serialized. */
export function errorFrom(json: object): ArchiveError {
  const { name, code, message, hint, path, statusCode, retryAfter, isQuota } = json as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const number = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  const isHinted = text(hint) !== "" && text(message).endsWith(text(hint));
  const what = isHinted ? text(message).slice(0, -text(hint).length).trimEnd() : text(message);
  const details = { hint: text(hint), code: (text(code) || "UNKNOWN") as "HTTP_ERROR", path: text(path) };
  const numbers = { statusCode: number(statusCode), retryAfter: number(retryAfter), isQuota: isQuota === true };
  return new (API_ERRORS.get(text(name)) ?? ArchiveError)(what, { ...details, ...numbers });
}

import { type Search, searchId } from "../corpus/definition/search.js";
import { type Window, windowOf as windowOfSearch } from "../corpus/definition/windows.js";
import {
  APIError,
  type APIErrorCode,
  ArchiveError,
  AuthenticationError,
  type ErrorCode,
  NotFoundError,
  RateLimitError,
} from "../errors/index.js";
import { isObject } from "../util/isObject.js";

/** A window as a job: what to ask, and how. Whoever can write to Redis can write anything else. */
export interface WindowJob {
  readonly parameters: Readonly<Record<string, string>>;
  readonly name: string;
  readonly mindate?: string | undefined;
  readonly maxdate?: string | undefined;
  readonly round: number;
  readonly pageSize: number;
  readonly confirmEnd?: boolean | undefined;
  readonly recheck?: boolean | undefined;
  /** The storage has the journal of an earlier attempt. */
  readonly hasJournal?: boolean | undefined;
}

/** What a worker has done. The rows are in the storage. */
export interface WindowResult {
  /** "landed"; "capped" if the budget is used up, or "failed": then the storage may have a journal. */
  readonly end: "landed" | "capped" | "failed";
  readonly requests: number;
  readonly pages: number;
  readonly rows: number;
  readonly hasJournal?: boolean | undefined;
  readonly error?: Readonly<Record<string, unknown>> | undefined;
}

/** The window of a job; undefined if it is none. */
export function windowOf(job: unknown): Window | undefined {
  if (!isObject(job) || !isObject(job.parameters)) return undefined;
  const { parameters, name, mindate, maxdate, round, pageSize } = job as Record<string, unknown> & WindowJob;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  if (typeof name !== "string" || !isCount(round) || !isCount(pageSize)) return undefined;
  const search: Search = { id: searchId(parameters), parameters, labels: {} };
  try {
    return windowOfSearch(search, name, mindate, maxdate);
  } catch {
    return undefined;
  }
}

/** The result of a job; undefined if no worker wrote it. */
export function resultOf(value: unknown): WindowResult | undefined {
  if (!isObject(value)) return undefined;
  const { end, requests, pages, rows, error } = value as unknown as WindowResult;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) >= 0;
  const isResult = ["landed", "capped", "failed"].includes(end) && [requests, pages, rows].every(isCount);
  return isResult && (end !== "failed" || isObject(error)) ? (value as unknown as WindowResult) : undefined;
}

/** An error of a worker for the coordinator: what its message says, without what Node knows of it. */
export function errorJson(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof ArchiveError)) return { code: "UNKNOWN", what: "a worker failed unexpectedly.", hint: "" };
  const { code, message, hint } = error;
  const { statusCode, path } = error as APIError;
  const { retryAfter } = error as RateLimitError;
  const what = hint !== "" && message.endsWith(hint) ? message.slice(0, -hint.length).trimEnd() : message;
  return { code, what, hint, statusCode, path, retryAfter, isOfService: error instanceof APIError };
}

/** The error that a worker has met. */
export function errorFrom(json: Readonly<Record<string, unknown>>): ArchiveError {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const number = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  const what = text(json.what);
  const code = text(json.code);
  const details = { hint: text(json.hint), path: text(json.path), statusCode: number(json.statusCode) };
  if (code === "AUTHENTICATION") return new AuthenticationError(what, details);
  if (code === "NOT_FOUND") return new NotFoundError(what, details);
  if (code === "RATE_LIMITED") return new RateLimitError(what, { ...details, retryAfter: number(json.retryAfter) });
  if (json.isOfService === true) return new APIError(what, { ...details, code: code as APIErrorCode });
  return new ArchiveError(what, { hint: details.hint, code: code as ErrorCode });
}

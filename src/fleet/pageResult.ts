import { isObject } from "../util/isObject.js";

/** A body in the shared storage. */
export interface StoredBody {
  readonly file: string;
  /** Of the content, unpacked. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Why there is no complete response. */
export interface PageFailure {
  readonly kind: "connection" | "timeout" | "truncated" | "too large" | "undecodable" | "refused job";
  /** The code of the system or of undici: `ECONNREFUSED`. */
  readonly code?: string;
  /** Seconds, of a timeout. */
  readonly seconds?: number;
}

/** What a worker reports of one HTTP exchange. It goes through Redis: no body, no key. */
export interface PageResult {
  /** HTTP status; undefined without a response. */
  readonly status?: number;
  /** The headers that the client needs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: StoredBody;
  readonly failure?: PageFailure;
  /** How often the worker removed its key from the body; absent if it was not in it. */
  readonly redactions?: number;
  /** How often workers began the job; more than once if one was killed. */
  readonly starts: number;
}

/** The response headers that a client needs. */
export const HEADERS = ["content-type", "date", "location", "retry-after"] as const;

const KINDS: ReadonlySet<unknown> = new Set([
  "connection",
  "timeout",
  "truncated",
  "too large",
  "undecodable",
  "refused job",
] satisfies Array<PageFailure["kind"]>);

const MAX_HEADER = 2000;
const MAX_LENGTH = 20_000;

/** Whether another attempt may give a response: these jobs fail, so that they can be retried. Any other status is a result. */
export function isFailed({ status, failure }: Partial<Pick<PageResult, "status" | "failure">>): boolean {
  return failure !== undefined || status === undefined || status === 429 || status >= 500;
}

/** Reads the result of a failed job; undefined if no worker of ours wrote it. */
export function parseFailedResult(text: unknown): PageResult | undefined {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return undefined;
  try {
    return checkResult(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Checks a result; undefined if no worker of ours wrote it. Whoever can write to Redis can write anything. */
export function checkResult(value: unknown): PageResult | undefined {
  if (!isObject(value)) return undefined;
  const { status, headers, body, failure, redactions, starts } = value as Readonly<Record<string, unknown>>;
  if (status !== undefined && !isWhole(status, 200, 599)) return undefined;
  if (!isWhole(starts, 0, 1e6) || !isObject(headers)) return undefined;
  if (redactions !== undefined && !isWhole(redactions, 1, Number.MAX_SAFE_INTEGER)) return undefined;
  const known: Record<string, string> = {};
  for (const name of HEADERS) {
    const text = (headers as Readonly<Record<string, unknown>>)[name];
    if (typeof text === "string" && text.length <= MAX_HEADER) known[name] = text;
  }
  if (failure !== undefined) {
    const checked = checkFailure(failure);
    return checked && { ...(status !== undefined && { status }), headers: known, failure: checked, starts };
  }
  const stored = checkBody(body);
  if (status === undefined || stored === undefined) return undefined;
  return { status, headers: known, body: stored, ...(redactions !== undefined && { redactions }), starts };
}

function checkFailure(value: unknown): PageFailure | undefined {
  if (!isObject(value)) return undefined;
  const { kind, code, seconds } = value as Readonly<Record<string, unknown>>;
  if (!KINDS.has(kind)) return undefined;
  const isCode = typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code);
  return {
    kind: kind as PageFailure["kind"],
    ...(isCode && { code }),
    ...(isWhole(seconds, 0, 1e7) && { seconds }),
  };
}

function checkBody(value: unknown): StoredBody | undefined {
  if (!isObject(value)) return undefined;
  const { file, sha256, bytes } = value as Readonly<Record<string, unknown>>;
  if (typeof file !== "string" || !/^bodies\/[\da-f]{2}\/[\da-f]{64}\.json\.gz$/.test(file)) return undefined;
  if (typeof sha256 !== "string" || !/^[\da-f]{64}$/.test(sha256)) return undefined;
  return isWhole(bytes, 0, Number.MAX_SAFE_INTEGER) ? { file, sha256, bytes } : undefined;
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

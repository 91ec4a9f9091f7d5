import type { Dispatcher } from "undici";
import { requestHeaders, sendOnce } from "../service/http/exchange.js";
import { BodyError } from "../service/http/httpResponse.js";
import type { ResolvedOptions } from "../service/http/options.js";
import { withoutKey } from "../service/http/withoutKey.js";
import { clip } from "../util/quoted.js";
import { HEADERS, type PageFailure } from "./pageResult.js";

/** What one HTTP exchange has brought: a response without the key, or why there is none. */
export interface FetchedPage {
  readonly status?: number;
  readonly headers: Record<string, string>;
  readonly body?: Buffer;
  /** How often the key was removed from the body; absent if it was not in it. */
  readonly redactions?: number;
  readonly failure?: PageFailure;
}

/** What an exchange needs. */
export interface FetchPageOptions {
  readonly dispatcher: Dispatcher;
  readonly settings: ResolvedOptions;
}

/** Bytes of an error body to read, and characters of it to keep: errors quote its beginning. */
const ERROR_BYTES = 65_536;
const ERROR_CHARACTERS = 2000;

class Timeout extends Error {}

/** Sends one GET request with the key of this worker. Follows no redirects and repeats nothing: the coordinator does. */
export async function fetchPage(url: URL, { dispatcher, settings }: FetchPageOptions): Promise<FetchedPage> {
  const { key, timeout, maxBodyBytes } = settings;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Timeout()), timeout * 1000);
  let head: Pick<FetchedPage, "status" | "headers"> = { headers: {} };
  try {
    const response = await sendOnce(url, { dispatcher, headers: requestHeaders(key), signal: stop.signal });
    const { status, headers } = response;
    head = { status, headers: usedHeaders(key.redactAll(headers)) };
    if (status < 200 || status > 299) {
      const beginning = await response.beginning(Math.max(ERROR_BYTES, 2000 * key.reveal().length));
      // Redact before clipping: half a key at the end would not be recognized.
      return { ...head, body: Buffer.from(clip(key.redact(beginning.toString("utf8")), ERROR_CHARACTERS)) };
    }
    const { body, redactions } = withoutKey(await response.read(maxBodyBytes), headers, key);
    return { ...head, body, ...(redactions !== undefined && { redactions }) };
  } catch (error) {
    return { ...head, failure: failureOf(error, head.status !== undefined, timeout) };
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(error: unknown, hasBegun: boolean, seconds: number): PageFailure {
  if (error instanceof Timeout) return { kind: "timeout", seconds: Math.ceil(seconds) };
  if (error instanceof BodyError) return { kind: error.kind };
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return { kind: hasBegun ? "truncated" : "connection", code: String(code ?? name ?? "UNKNOWN") };
}

function usedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

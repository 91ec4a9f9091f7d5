import type { Dispatcher } from "undici";
import { VERSION } from "../../util/version.js";
import { HttpResponse } from "./httpResponse.js";
import type { Secret } from "./secret.js";
import { parsedUrl } from "./url.js";

/** What a request needs beside its URL. */
export interface Sending {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** Cancels the request, its redirects, and its response while that is being read. */
  readonly signal: AbortSignal;
  /** Default: GET. */
  readonly method?: "GET" | "PUT" | "DELETE";
  /** The body to send. Default: none. */
  readonly content?: Buffer | undefined;
}

/** A redirect that is not followed. */
export class RedirectError extends Error {
  constructor(
    readonly response: HttpResponse,
    readonly problem: string,
  ) {
    super(problem);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** The headers of every request to the service. */
export function requestHeaders(key: Secret): Record<string, string> {
  return {
    "x-api-key": key.reveal(),
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": `archive-frames/${VERSION}`,
  };
}

/** Sends one request, and waits for the head of its response. A redirect is a response like any other. */
export function sendOnce(
  url: URL,
  { dispatcher, headers, signal, method = "GET", content }: Sending,
): Promise<HttpResponse> {
  const response = new HttpResponse(signal);
  const path = url.pathname + url.search;
  // No timeouts of undici's: that of the attempt covers all phases.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  dispatcher.dispatch({ origin: url.origin, path, method, headers, body: content ?? null, ...timeouts }, response);
  return response.head();
}

/**
 * Sends a GET request and follows redirects within the origin. The headers contain the key, so nothing is ever sent to
 * another origin.
 *
 * @param onRequest called before each request, followed redirects included; if it throws, the exchange ends with that error
 * @throws RedirectError; the reason of the signal; the connection error
 */
export async function exchange(
  url: URL,
  sending: Sending,
  secret: Secret,
  onRequest: () => void,
): Promise<HttpResponse> {
  let target = url;
  for (let followed = 0; ; followed += 1) {
    onRequest();
    const response = await sendOnce(target, sending);
    if (!REDIRECTS.has(response.status)) return response;
    target = redirectTarget(response, target, followed, secret);
    // Drain the body, so that the connection can be reused.
    await response.beginning(65_536);
    sending.signal.throwIfAborted();
  }
}

function redirectTarget(response: HttpResponse, from: URL, followed: number, secret: Secret): URL {
  const refuse = (problem: string) => {
    response.stop(new Error("the redirect is not followed"));
    return new RedirectError(response, problem);
  };
  const { location } = response.headers;
  if (location === undefined) throw refuse("redirect without a target");
  const next = parsedUrl(location, from);
  if (next === undefined) throw refuse("redirect to an invalid URL");
  if (next.origin !== from.origin) {
    throw refuse(`redirect to another origin (${secret.redact(next.origin)}); nothing was sent there`);
  }
  if (followed === MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} redirects`);
  return next;
}

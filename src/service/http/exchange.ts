import type { Dispatcher } from "undici";
import { parsedUrl } from "./baseUrl.js";
import type { BodyPool } from "./bodyPool.js";
import { IncomingResponse } from "./incomingResponse.js";
import type { Secret } from "./secret.js";

/** Status and headers of a response; the body is still arriving. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case, several values joined. They may contain the key. */
  readonly headers: Record<string, string>;
  readonly body: IncomingResponse;
}

/** What one exchange needs. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly secret: Secret;
  /** Memory for the body. */
  readonly pool: BodyPool;
  readonly headers: Readonly<Record<string, string>>;
  /** Receives the function that cancels the exchange. */
  readonly onStop: (stop: (reason: unknown) => void) => void;
  /** Called before each request, followed redirects included. If it throws, the exchange ends with that error. */
  readonly onRequest: () => void;
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

/**
 * Sends a GET request and follows redirects within the origin. The headers contain the key, so nothing is ever sent to
 * another origin.
 *
 * @throws RedirectError; the reason with which it was stopped; the connection error
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<HttpResponse> {
  const stopped: { isStopped: boolean; reason?: unknown } = { isStopped: false };
  let body: IncomingResponse | undefined;
  options.onStop((reason) => {
    Object.assign(stopped, { isStopped: true, reason });
    body?.stop(reason);
  });
  let target = url;
  for (let followed = 0; ; followed += 1) {
    options.onRequest();
    body = new IncomingResponse(options.pool);
    const response = await sendOnce(target, body, options.dispatcher, options.headers);
    if (!REDIRECTS.has(response.status)) return response;
    const next = redirectTarget(response, target, followed, options.secret);
    // Drain the body, so that the connection can be reused.
    await body.beginning(65_536);
    // A cancelled body only looks short.
    if (stopped.isStopped) throw stopped.reason;
    target = next;
  }
}

function redirectTarget(response: HttpResponse, from: URL, followed: number, secret: Secret): URL {
  const refuse = (problem: string) => {
    response.body.stop(new Error("the redirect is not followed"));
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

/**
 * Sends one request, and waits for the head of its response. A redirect is a response like any other.
 *
 * @param content what is sent; none by default
 */
export async function sendOnce(
  url: URL,
  body: IncomingResponse,
  dispatcher: Dispatcher,
  headers: Readonly<Record<string, string>>,
  method: "GET" | "PUT" | "DELETE" = "GET",
  content: Buffer | null = null,
): Promise<HttpResponse> {
  const path = url.pathname + url.search;
  // No timeouts of undici's: that of the attempt covers all phases.
  const request = { origin: url.origin, path, method, headers, body: content, headersTimeout: 0, bodyTimeout: 0 };
  dispatcher.dispatch(request, body);
  const head = await body.head;
  return { status: head.status, headers: flatHeaders(head.headers), body };
}

function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(flat);
}

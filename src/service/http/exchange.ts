import type { Dispatcher } from "undici";
import { parsedUrl } from "./baseUrl.js";
import { Incoming } from "./incoming.js";
import type { Secret } from "./secret.js";

/** The head of an answer; the body is still on the wire. */
export interface Answer {
  readonly status: number;
  /** Names in lower case, several values joined. The key may stand in them. */
  readonly headers: Record<string, string>;
  readonly body: Incoming;
}

/** What one exchange needs. */
export interface ExchangeContext {
  readonly dispatcher: Dispatcher;
  readonly secret: Secret;
  readonly headers: Readonly<Record<string, string>>;
  /** Is given what ends the exchange. */
  readonly onStop: (stop: (reason: unknown) => void) => void;
  /** Called before each request, followed redirects included. What it throws ends the exchange. */
  readonly onRequest: () => void;
}

/** A redirect that is not followed. */
export class RedirectRefusal extends Error {
  constructor(
    readonly answer: Answer,
    readonly problem: string,
  ) {
    super(problem);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/**
 * Sends a GET and follows redirects within the origin: the headers hold the key, so no other origin is ever asked.
 *
 * @throws RedirectRefusal; the reason of the signal, at once when it aborts; else the error of the connection
 */
export async function exchange(url: URL, context: ExchangeContext): Promise<Answer> {
  const stop: { called: boolean; reason?: unknown } = { called: false };
  let body: Incoming | undefined;
  context.onStop((reason) => {
    Object.assign(stop, { called: true, reason });
    body?.stop(reason);
  });
  let target = url;
  for (let followed = 0; ; followed += 1) {
    context.onRequest();
    body = new Incoming();
    const answer = await send(target, body, context);
    if (!REDIRECTS.has(answer.status)) return answer;
    const next = nextTarget(answer, target, followed, context.secret);
    // The body of a redirect is read away, so that the connection can be used for the next request.
    await body.beginning(65_536);
    // Whatever became of that body, what ends the exchange ends it here.
    if (stop.called) throw stop.reason;
    target = next;
  }
}

function nextTarget(answer: Answer, from: URL, followed: number, secret: Secret): URL {
  const refuse = (problem: string) => {
    answer.body.stop(new Error("the redirect is not followed"));
    return new RedirectRefusal(answer, problem);
  };
  const { location } = answer.headers;
  if (location === undefined) throw refuse("was redirected without saying where");
  const next = parsedUrl(location, from);
  if (next === undefined) throw refuse("was redirected to something that is no address");
  if (next.origin !== from.origin) {
    throw refuse(`was redirected to another origin (${secret.redact(next.origin)}); nothing was sent there`);
  }
  if (followed === MAX_REDIRECTS) throw refuse(`was redirected more than ${MAX_REDIRECTS} times`);
  return next;
}

async function send(url: URL, body: Incoming, { dispatcher, headers }: ExchangeContext): Promise<Answer> {
  const path = url.pathname + url.search;
  // The time-out of the attempt covers all phases.
  dispatcher.dispatch({ origin: url.origin, path, method: "GET", headers, headersTimeout: 0, bodyTimeout: 0 }, body);
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

import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { parsedUrl } from "./baseUrl.js";
import type { Secret } from "./secret.js";

/** The head of an answer; the body is still on the wire. */
export interface Answer {
  readonly status: number;
  /** Names in lower case, several values joined. The key may stand in them. */
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** What one exchange needs. */
export interface ExchangeContext {
  readonly dispatcher: Dispatcher;
  readonly secret: Secret;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called before each request, followed redirects included. */
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
const MOST_REDIRECTS = 5;

/**
 * Sends a GET and follows redirects within the origin: the headers hold the key, so no other origin is ever asked.
 *
 * @throws RedirectRefusal; the reason of the signal, at once when it aborts; else the error of the connection
 */
export async function exchange(url: URL, context: ExchangeContext): Promise<Answer> {
  let target = url;
  for (let followed = 0; ; followed += 1) {
    context.onRequest();
    const answer = await send(target, context);
    if (!REDIRECTS.has(answer.status)) return answer;
    const next = nextTarget(answer, target, followed, context.secret);
    // The body of a redirect is read away, so that the connection can be used for the next request.
    await drain(answer.body, context.signal);
    target = next;
  }
}

function nextTarget(answer: Answer, from: URL, followed: number, secret: Secret): URL {
  const refuse = (problem: string) => {
    answer.body.on("error", () => {}).destroy();
    return new RedirectRefusal(answer, problem);
  };
  const { location } = answer.headers;
  if (location === undefined) throw refuse("was redirected without saying where");
  const next = parsedUrl(location, from);
  if (next === undefined) throw refuse("was redirected to something that is no address");
  if (next.origin !== from.origin) {
    throw refuse(`was redirected to another origin (${secret.redact(next.origin)}); nothing was sent there`);
  }
  if (followed === MOST_REDIRECTS) throw refuse(`was redirected more than ${MOST_REDIRECTS} times`);
  return next;
}

/** undici notices an abort only once it is connected; whoever waits is told at once. */
function send(url: URL, { dispatcher, headers, signal }: ExchangeContext): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    dispatcher
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers,
        signal,
        // The time-out of the attempt covers all phases.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      .then(
        ({ statusCode, headers, body }) => {
          if (signal.aborted) body.on("error", () => {}).destroy();
          resolve({ status: statusCode, headers: flatHeaders(headers), body });
        },
        (error: unknown) => reject(error),
      )
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(flat);
}

async function drain(body: Readable, signal: AbortSignal): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > 65_536) break;
    }
  } catch {
    signal.throwIfAborted();
  }
}

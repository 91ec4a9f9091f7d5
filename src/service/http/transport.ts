import pRetry from "p-retry";
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { copyCause } from "../../errors/causes.js";
import { abortedError, ValidationError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";
import { CallSignal } from "../../util/callSignal.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { exchange } from "./exchange.js";
import { FailedAttempt, ProxyFailure } from "./failedAttempt.js";
import { errorResponse, failedResponse, parseRetryAfter } from "./failedResponse.js";
import type { ResolvedOptions } from "./options.js";
import { Pacer } from "./pacer.js";
import {
  type ClosableRequester,
  clientClosedError,
  type Query,
  REQUESTS_HEADER,
  type RequestContext,
  type ServiceResponse,
} from "./requester.js";
import { isLoopback, parsedUrl } from "./url.js";

/** A request of the client until it settles, with all its attempts. */
interface PendingRequest {
  /** Redacted, for errors. */
  readonly path: string;
  readonly url: URL;
  readonly context: RequestContext;
  /** Whatever ends it early (a signal of the user, the closing of the client, a used-up quota) aborts this with the typed error. */
  readonly stop: CallSignal;
  /** Attempts so far, and whether the last one is in flight. */
  attempts: number;
  isSending: boolean;
}

/** Refusals in a row for each attempt that a request has, after which the service is taken to refuse everything. */
const REFUSALS_PER_ATTEMPT = 2;

const KEY_REDACTED =
  "A response contains the API key, which was replaced with [redacted]. If your key is an ordinary word, this changed rows that contain the word.";

/**
 * Sends the requests of one client: {@link Pacer} says when, {@link FailedAttempt} whether again. The key is sent to the origin of `baseUrl`
 * only. A request with a {@link RequestBudget} sends nothing beyond it.
 */
export class Transport implements ClosableRequester {
  readonly #options: ResolvedOptions;
  readonly #pacer: Pacer;
  #dispatcher: Dispatcher | undefined;
  readonly #pending = new Set<PendingRequest>();
  #closing: Promise<void> | undefined;
  #hasWarnedOfKey = false;

  constructor(options: ResolvedOptions, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#options = options;
    this.#pacer = new Pacer(clock, options, random);
  }

  async request(path: string, query: Query, context: RequestContext = {}): Promise<ServiceResponse> {
    const { signal, baseUrl, key } = this.#options;
    const redactedPath = key.redact(path);
    if (this.#closing !== undefined) throw clientClosedError(redactedPath);
    const stop = new CallSignal([signal, context.signal], (reason) =>
      abortedError(`GET ${redactedPath} was stopped by its signal.`, copyCause(reason, key.redact)),
    );
    const url = requestUrl(baseUrl, path, query);
    const request = { path: redactedPath, url, context, stop, attempts: 0, isSending: false };
    this.#pending.add(request);
    try {
      checkBudget(request);
      return await pRetry((attempt) => this.#pacer.send(attempt, stop.signal, () => this.#send(request, attempt)), {
        retries: this.#options.maxRetries,
        minTimeout: 0,
        signal: stop.signal,
        onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
          const isRetried = error instanceof FailedAttempt && (context.isProbe ? error.isRefusal : error.isRetryable);
          if (!isRetried || retriesLeft === 0) throw error;
          stop.signal.throwIfAborted();
          checkBudget(request, error.toError(redactedPath, attemptNumber));
          await this.#pacer.wait(error, attemptNumber, stop.signal, context.onRetry);
        },
      });
    } catch (error) {
      throw error instanceof FailedAttempt ? error.toError(redactedPath, request.attempts) : error;
    } finally {
      stop.release();
      this.#pending.delete(request);
    }
  }

  /** Fails every pending request with `CLIENT_CLOSED` and closes the connections, but not a `session`. Idempotent. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      for (const request of this.#pending) request.stop.abort(clientClosedError(request.path));
      this.#closing = this.#dispatcher?.destroy() ?? Promise.resolve();
    }
    return this.#closing;
  }

  async #send(request: PendingRequest, attempt: number): Promise<ServiceResponse> {
    const { key, maxRetryWait, session } = this.#options;
    const { context, stop, url } = request;
    stop.signal.throwIfAborted();
    checkBudget(request);
    if (session === undefined) this.#dispatcher ??= createDispatcher(this.#options);
    const dispatcher = session ?? (this.#dispatcher as Dispatcher);
    const countRequest = () => {
      context.budget?.take();
      context.onRequest?.();
    };
    countRequest();
    Object.assign(request, { attempts: attempt, isSending: true });
    const sentAt = new Date();
    try {
      const { status, headers, body } = await exchange(dispatcher, url, stop.signal, this.#options);
      for (let sent = Number(session && headers[REQUESTS_HEADER]); sent > 1; sent--) countRequest();
      const receivedAt = new Date();
      request.isSending = false;
      if (status < 200 || status >= 300) {
        const response = errorResponse(status, headers, body, key);
        // By the service's clock if it sends the time: the user's may be wrong.
        const now = Date.parse(headers.date ?? "") || receivedAt.getTime();
        const retryAfter = parseRetryAfter(headers["retry-after"], now);
        throw failedResponse(response, retryAfter, maxRetryWait);
      }
      const redacted = key.redactBody(body);
      if (redacted !== body && !this.#hasWarnedOfKey) warn("KEY_REDACTED", KEY_REDACTED);
      this.#hasWarnedOfKey ||= redacted !== body;
      const times = { sentAt, receivedAt, requests: attempt, retries: attempt - 1 };
      return { status, body: redacted, headers: key.redactAll(headers), ...times, pace: this.#pacer.pace };
    } catch (error) {
      request.isSending = false;
      if (error instanceof FailedAttempt) this.#failQueued(error);
      throw error;
    }
  }

  /** Fails all requests that are not in flight if no request of this client can succeed for now. */
  #failQueued(failure: FailedAttempt): void {
    if (failure.code !== "RATE_LIMITED") return;
    const isRefusing = this.#pacer.refusals >= REFUSALS_PER_ATTEMPT * (this.#options.maxRetries + 1);
    if (!failure.details.isFinal && !isRefusing) return;
    for (const { path, stop, isSending } of this.#pending) if (!isSending) stop.abort(failure.toError(path));
  }
}

/** Fails a request that cannot send anything more. @param cause the failure of its last attempt */
function checkBudget({ path, context: { budget } }: PendingRequest, cause?: unknown): void {
  if (budget?.isUsedUp) throw budget.usedUpError(path, cause);
}

function requestUrl(baseUrl: string, path: string, query: Query): URL {
  // Assigned, a path cannot change the host or the query.
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/$/, "") + path;
  // %20 instead of +: some services read + as a plus sign.
  url.search = new URLSearchParams(query as [string, string][]).toString().replaceAll("+", "%20");
  return url;
}

/** Creates a keep-alive dispatcher that uses the proxy of the environment, if there is one for the service. */
function createDispatcher({ baseUrl, concurrency, timeout, env }: ResolvedOptions): Dispatcher {
  const url = new URL(baseUrl);
  const connect = { timeout: timeout * 1000 };
  const proxy = proxyFor(url, env());
  const options = { connections: concurrency, connect };
  if (proxy === undefined) return new Pool(url.origin, options);
  const clientFactory = (origin: URL, pool: object) => new ProxyPool(origin, pool);
  return new EnvHttpProxyAgent({ ...proxy, ...options, proxyTls: connect, requestTls: connect, clientFactory });
}

/** The proxy of the environment. Only the variable that applies to the URL is checked. Loopback addresses bypass it. */
function proxyFor(url: URL, env: NodeJS.ProcessEnv) {
  const setting = (name: string) => (env[name.toLowerCase()] ?? env[name])?.trim();
  const name = (url.protocol === "https:" ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"]).find(setting);
  if (name === undefined || isLoopback(url)) return undefined;
  const text = setting(name) as string;
  const proxy = parsedUrl(text.includes("://") ? text : `http://${text}`);
  if (proxy?.protocol !== "http:" && proxy?.protocol !== "https:") {
    const hint = "Set it to a URL such as http://proxy.example:8080, or unset it.";
    throw new ValidationError(`invalid environment variable ${name}.`, { hint, parameter: name });
  }
  return { httpProxy: proxy.href, httpsProxy: proxy.href, noProxy: setting("NO_PROXY") ?? "" };
}

/** Connections to a proxy, whose failures differ from those of the service. */
class ProxyPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<never> {
    try {
      return (await super.connect(options)) as never;
    } catch (cause) {
      throw new ProxyFailure("no connection to the proxy", { cause });
    }
  }
}

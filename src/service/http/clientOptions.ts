import type { Dispatcher } from "undici";

/** How a client connects to the service. All options are optional; `undefined` and `null` count as left out. */
export interface ClientOptions {
  /** The API key. Default: the environment variable `ARCHIVE_API_KEY`. */
  apiKey?: string | undefined;
  /** URL of the service, including its version. Default: `ARCHIVE_BASE_URL`, else the live service. */
  baseUrl?: string | undefined;
  /** Seconds that one attempt may take, from sending the request to the last byte of the response. Default 30. */
  timeout?: number | undefined;
  /** Retries after 429, 5xx, a timeout or a lost connection. Default 3; 0 turns retries off. */
  maxRetries?: number | undefined;
  /** Seconds before the first retry, doubled for each further one. Default 0.5; 0 retries without delay. */
  backoffFactor?: number | undefined;
  /** An undici dispatcher to send requests with (a proxy agent, a mock). `close()` leaves it open. */
  session?: Dispatcher | undefined;
  /** Maximum number of concurrent requests. Default 8. */
  concurrency?: number | undefined;
  /** Maximum size of a response body in bytes, decoded. Default 64 MiB. */
  maxBodyBytes?: number | undefined;
  /** Longest Retry-After to wait for, in seconds; a longer one throws a `RateLimitError` immediately. Default 300. */
  maxRetryWait?: number | undefined;
  /** Allow plain http to another machine, which exposes the key to the network. Default false. */
  allowInsecure?: boolean | undefined;
  /** Stops every call of the client. */
  signal?: AbortSignal | undefined;
}

/** Every name of {@link ClientOptions}: a forgotten one does not compile. */
const names: { readonly [Name in keyof Required<ClientOptions>]: true } = {
  apiKey: true,
  baseUrl: true,
  timeout: true,
  maxRetries: true,
  backoffFactor: true,
  session: true,
  concurrency: true,
  maxBodyBytes: true,
  maxRetryWait: true,
  allowInsecure: true,
  signal: true,
};

/** The names of {@link ClientOptions}. */
export const OPTION_NAMES: readonly string[] = Object.freeze(Object.keys(names));

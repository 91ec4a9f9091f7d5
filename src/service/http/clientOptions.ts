import type { Dispatcher } from "undici";

/** How to reach the service. Every option may be left out; `undefined` is the same as left out. */
export interface ClientOptions {
  /** The API key. Default: the environment variable `ARCHIVE_API_KEY`. */
  apiKey?: string | undefined;
  /** The address of the service, version included. Default: `ARCHIVE_BASE_URL`, else the live service. */
  baseUrl?: string | undefined;
  /** Seconds that one attempt may take, from its start to the last byte of the body. Default 30. */
  timeout?: number | undefined;
  /** How often a failed request is sent again: 429, 5xx, time-outs, lost connections. Default 3; 0 for never. */
  maxRetries?: number | undefined;
  /** Seconds before the first retry; doubled for each further one. Default 0.5; 0 for no wait. */
  backoffFactor?: number | undefined;
  /** An undici dispatcher to send with (a proxy agent, a mock). It stays yours: `close()` does not close it. */
  session?: Dispatcher | undefined;
  /** Requests at once. Default 8. */
  concurrency?: number | undefined;
  /** Bytes a body may have, decoded. Default 64 MiB. */
  maxBodyBytes?: number | undefined;
  /** Seconds a Retry-After may ask for; a longer wait is a `RateLimitError` at once. Default 300. */
  maxRetryWait?: number | undefined;
  /** Allow plain http to another machine, which shows the key to the network. Default false. */
  allowInsecure?: boolean | undefined;
  /** Stops every call of the client. */
  signal?: AbortSignal | undefined;
}

/** The names of {@link ClientOptions}; the type makes a forgotten one an error. */
const named: { readonly [Name in keyof Required<ClientOptions>]: true } = {
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

/** The names of the options that the service room reads. */
export const OPTION_NAMES: readonly string[] = Object.freeze(Object.keys(named));

import type { Dispatcher } from "undici";
import { AuthenticationError, ValidationError } from "../../errors/index.js";
import {
  abortSignal,
  boolean,
  checkedOptions,
  invalid,
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  positiveNumber,
} from "../../errors/validators.js";
import { environmentKey, Secret } from "./secret.js";
import { checkedBaseUrl } from "./url.js";

/** How a client connects to the service. */
export interface ClientOptions {
  /** The API key. Default: `ARCHIVE_API_KEY`, else `CSPAN_API_KEY`. */
  apiKey?: string | undefined;
  /** URL of the service, including its version. Default: `ARCHIVE_BASE_URL`, else the live service. */
  baseUrl?: string | undefined;
  /** Seconds that one attempt may take, up to the last byte of the response. Default 30. */
  timeout?: number | undefined;
  /** Retries after 408, 429, 5xx, a timeout or a lost connection. Default 3; 0 turns retries off. */
  maxRetries?: number | undefined;
  /** Seconds before the first retry, doubled for each further one. Default 0.5; 0 retries without delay. */
  backoffFactor?: number | undefined;
  /** An undici dispatcher to send requests with, such as a proxy agent. `close()` leaves it open. */
  session?: Dispatcher | undefined;
  /** Maximum number of concurrent requests. Default 8. */
  concurrency?: number | undefined;
  /** Maximum size of a decoded response body, in bytes. Default 64 MiB. */
  maxBodyBytes?: number | undefined;
  /** Longest wait that a response may ask for, in seconds; a longer one throws a `RateLimitError`. Default 300. */
  maxRetryWait?: number | undefined;
  /** Allow plain http to another machine, which exposes the key. Default false. */
  allowInsecure?: boolean | undefined;
  /** Stops every call of the client. */
  signal?: AbortSignal | undefined;
}

/** The default of every option that has one. */
export const DEFAULTS = Object.freeze({
  baseUrl: "https://api.c-spanarchives.org/2.0",
  timeout: 30,
  maxRetries: 3,
  backoffFactor: 0.5,
  concurrency: 8,
  maxBodyBytes: 64 * 1024 * 1024,
  maxRetryWait: 300,
  allowInsecure: false,
});

export const OPTION_NAMES: readonly string[] = ["apiKey", "session", "signal", ...Object.keys(DEFAULTS)];

type Settings = Omit<ClientOptions, "apiKey" | "session" | "signal" | "allowInsecure">;

/** Checked options: complete, frozen, and safe to print. `baseUrl` has no trailing slash. */
export interface ResolvedOptions extends Readonly<{ [N in keyof Settings]-?: NonNullable<Settings[N]> }> {
  readonly key: Secret;
  readonly session: Dispatcher | undefined;
  readonly signal: AbortSignal | undefined;
  /** The environment, for its proxies. A function, so that printing shows no password. */
  readonly env: () => NodeJS.ProcessEnv;
}

/** The longest timer in Node, in whole seconds (24 days). */
const MAX_TIMEOUT = 2_147_483;

/**
 * Checks the options of a client and fills in the defaults.
 * @param keyless the key may be missing, because no request will be sent
 */
export function resolveOptions(
  input: ClientOptions = {},
  env: NodeJS.ProcessEnv = process.env,
  otherNames: readonly string[] = [],
  keyless = false,
): ResolvedOptions {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    const hint = 'Give an object, for example { apiKey: "…" }.';
    // The value is not shown: people pass the key here by mistake.
    throw new ValidationError("invalid options: not an object.", { hint });
  }
  const options = checkedOptions<ClientOptions>(input, [...OPTION_NAMES, ...otherNames], "option");
  const option = (name: keyof typeof DEFAULTS): unknown => options[name] ?? DEFAULTS[name];
  const key = new Secret(apiKey(options.apiKey, env, keyless));
  const isFromEnvironment = options.baseUrl === undefined && Boolean(env.ARCHIVE_BASE_URL);
  const [source, url] = isFromEnvironment ? ["ARCHIVE_BASE_URL", env.ARCHIVE_BASE_URL] : ["baseUrl", option("baseUrl")];
  const baseUrl = checkedBaseUrl(source, url, boolean("allowInsecure", option("allowInsecure")), key);
  return Object.freeze({
    key,
    baseUrl,
    timeout: positiveNumber("timeout", option("timeout"), 30, "seconds", MAX_TIMEOUT),
    maxRetries: nonNegativeInteger("maxRetries", option("maxRetries"), 5),
    backoffFactor: nonNegativeNumber("backoffFactor", option("backoffFactor"), 2, "seconds"),
    session: session(options.session),
    concurrency: positiveInteger("concurrency", option("concurrency"), 4),
    maxBodyBytes: positiveInteger("maxBodyBytes", option("maxBodyBytes"), 1_000_000),
    maxRetryWait: nonNegativeNumber("maxRetryWait", option("maxRetryWait"), 600, "seconds"),
    signal: options.signal === undefined ? undefined : abortSignal("signal", options.signal),
    env: () => env,
  });
}

/** The API key. Its errors never quote it. */
function apiKey(option: unknown, env: NodeJS.ProcessEnv, keyless: boolean): string {
  const value = option ?? environmentKey(env)?.key;
  if (value === undefined) {
    if (keyless) return "";
    const hint =
      'Set ARCHIVE_API_KEY or CSPAN_API_KEY, pass { apiKey: "…" }, or call openArchive() without baseUrl (ARCHIVE_BASE_URL), which uses the embedded archive.';
    throw new AuthenticationError("the API key is missing.", { hint });
  }
  const invalidKey = (problem: string, hint: string) =>
    new ValidationError(`invalid apiKey: ${problem}.`, { hint, parameter: "apiKey" });
  if (typeof value !== "string") throw invalidKey("not a string", "Give the key as a string.");
  const key = value.trim();
  if (key === "") {
    const hint = "Give the key, or omit apiKey to read it from ARCHIVE_API_KEY or CSPAN_API_KEY.";
    throw new AuthenticationError("invalid apiKey: an empty string.", { hint });
  }
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(key)) return key;
  throw invalidKey(
    "it contains a character that is not allowed in a request header",
    "Copy the key again, without line breaks, control characters and typographic quotes or dashes.",
  );
}

function session(value: unknown): Dispatcher | undefined {
  if (value === undefined) return undefined;
  const methods = value as Partial<Record<"dispatch" | "request", unknown>> | null;
  if (typeof methods?.dispatch === "function" && typeof methods.request === "function") return value as Dispatcher;
  throw invalid("session", value, "Give an undici dispatcher, for example session: new Agent().");
}

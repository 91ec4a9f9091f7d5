/** A request quota. */
export interface QuotaOptions {
  /** Requests answered in a window, a whole number from 0 on; 0 refuses every request. */
  requests: number;
  /** Length of the window in seconds, above 0. */
  seconds: number;
}

/** What startEmbeddedArchive() takes; every option has a default. */
export interface EmbeddedArchiveOptions {
  /** Port on 127.0.0.1, 0 to 65535. Default: 0, any free port. */
  port?: number | undefined;
  /** Whole number that decides the whole corpus. Default: 1. */
  seed?: number | undefined;
  /** Number of mentions, a whole number from 0 to 1,000,000. Default: 30,000. */
  size?: number | undefined;
  /** Milliseconds to wait before every answer, 0 to 600,000. Default: 0. */
  latency?: number | undefined;
  /** Requests per 60 seconds, or a window of another length. Default: no quota. */
  quota?: number | QuotaOptions | undefined;
  /** The key that requests must bring. Default: "embedded-archive". */
  apiKey?: string | undefined;
  /**
   * Add `person_title`, the title of the speaker, to the rows of mentions, except where the speaker is not identified.
   * Default: false.
   */
  personTitles?: boolean | undefined;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  port: number;
  seed: number;
  size: number;
  latency: number;
  quota: QuotaOptions | undefined;
  apiKey: string;
  personTitles: boolean;
}

/** The defaults of startEmbeddedArchive(). */
export const DEFAULTS: Readonly<ResolvedOptions> = Object.freeze({
  port: 0,
  seed: 1,
  size: 30_000,
  latency: 0,
  quota: undefined,
  apiKey: "embedded-archive",
  personTitles: false,
});

/** Seconds of a quota window given as a number of requests only. */
export const DEFAULT_QUOTA_SECONDS = 60;

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for a number out of range
 */
export function resolveOptions(options: EmbeddedArchiveOptions): ResolvedOptions {
  if (typeof options !== "object" || options === null) throw new TypeError("the options must be an object");
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw new TypeError(`unknown option ${JSON.stringify(name)}; options are ${Object.keys(DEFAULTS).join(", ")}`);
    }
  }
  const { apiKey = DEFAULTS.apiKey, quota, personTitles = DEFAULTS.personTitles } = options;
  // A header value: visible ASCII without surrounding space. The message does not repeat the key.
  if (typeof apiKey !== "string" || !/^[!-~](?:[ -~]*[!-~])?$/.test(apiKey)) {
    throw new TypeError("apiKey must be a string of visible ASCII characters");
  }
  if (typeof personTitles !== "boolean") throw new TypeError("personTitles must be true or false");
  return {
    port: whole("port", options.port ?? DEFAULTS.port, 0, 65_535),
    seed: whole("seed", options.seed ?? DEFAULTS.seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    size: whole("size", options.size ?? DEFAULTS.size, 0, 1_000_000),
    latency: within("latency", options.latency ?? DEFAULTS.latency, 0, 600_000),
    quota: quota === undefined ? undefined : resolveQuota(quota),
    apiKey,
    personTitles,
  };
}

function resolveQuota(quota: number | QuotaOptions): QuotaOptions {
  if (typeof quota !== "object" || quota === null) {
    return { requests: whole("quota", quota, 0, Number.MAX_SAFE_INTEGER), seconds: DEFAULT_QUOTA_SECONDS };
  }
  const seconds = within("quota.seconds", quota.seconds, 0, 86_400);
  if (seconds === 0) throw new RangeError("quota.seconds must be above 0");
  return { requests: whole("quota.requests", quota.requests, 0, Number.MAX_SAFE_INTEGER), seconds };
}

function whole(name: string, value: unknown, low: number, high: number): number {
  const number = within(name, value, low, high);
  if (!Number.isInteger(number)) throw new RangeError(`${name} must be a whole number`);
  return number;
}

function within(name: string, value: unknown, low: number, high: number): number {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number`);
  if (!(value >= low && value <= high)) throw new RangeError(`${name} must be from ${low} to ${high}`);
  return value;
}

import { ValidationError } from "../errors/index.js";
import { checkedOptions, invalid, oneOf } from "../errors/validators.js";

/** A request quota. */
export interface QuotaOptions {
  /** Requests allowed per window, an integer from 0. 0 refuses every request. */
  requests: number;
  /** Length of the window in seconds, above 0 and up to 86,400. */
  seconds: number;
  /**
   * How further requests are refused: with the seconds to wait in Retry-After (default), or as the gateway of the live service says that
   * the quota of a day, week or month is used up.
   */
  answer?: "retry-after" | "limit-exceeded" | undefined;
}

const ANSWERS = ["retry-after", "limit-exceeded"] as const;

/** Options of {@link startEmbeddedArchive}. */
export interface EmbeddedArchiveOptions {
  /** Port on 127.0.0.1, 0 to 65535. Default 0: any free port. */
  port?: number | undefined;
  /** Delay before every response in milliseconds, 0 to 600,000. Default 0. */
  latency?: number | undefined;
  /** Requests allowed per 60 seconds, or `{ requests, seconds }`; further requests get a 429. Default: no quota. */
  quota?: number | QuotaOptions | undefined;
  /** The key that requests must send in `x-api-key`: visible ASCII characters. Default `"embedded-archive"`. */
  apiKey?: string | undefined;
}

/** Checked options, with defaults. */
export type ServerOptions = ReturnType<typeof resolveOptions>;

/**
 * Checks the options and applies the defaults.
 *
 * @throws ValidationError for an unknown option or an invalid value
 */
export function resolveOptions(given: EmbeddedArchiveOptions) {
  const names = ["port", "latency", "quota", "apiKey"];
  const {
    port = 0,
    latency = 0,
    quota,
    apiKey = "embedded-archive",
  } = checkedOptions(given, names, "option of startEmbeddedArchive");
  return {
    port: integer("port", port, 0, 65_535),
    latency: inRange("latency", latency, 0, 600_000),
    quota: quota === undefined ? undefined : resolveQuota(quota),
    apiKey: headerValue(apiKey),
  };
}

function resolveQuota(quota: number | QuotaOptions): Required<QuotaOptions> {
  const most = Number.MAX_SAFE_INTEGER;
  const given = typeof quota === "object" ? quota : { requests: integer("quota", quota, 0, most), seconds: 60 };
  const { requests, seconds, answer } = checkedOptions<QuotaOptions>(
    given,
    ["requests", "seconds", "answer"],
    "option of quota",
  );
  if (seconds === 0) throw invalid("quota.seconds", seconds, "Give a number above 0.");
  return {
    requests: integer("quota.requests", requests, 0, most),
    seconds: inRange("quota.seconds", seconds, 0, 86_400),
    answer: oneOf("quota.answer", answer ?? ANSWERS[0], ANSWERS),
  };
}

function integer(name: string, value: unknown, low: number, high: number): number {
  if (Number.isInteger(value)) return inRange(name, value, low, high);
  throw invalid(name, value, `Give an integer from ${low} to ${high}.`);
}

function inRange(name: string, value: unknown, low: number, high: number): number {
  if (typeof value === "number" && value >= low && value <= high) return value;
  throw invalid(name, value, `Give a number from ${low} to ${high}.`);
}

/** Visible ASCII without surrounding space. The error does not repeat the key. */
function headerValue(apiKey: unknown): string {
  if (typeof apiKey === "string" && /^[!-~](?:[ -~]*[!-~])?$/.test(apiKey)) return apiKey;
  const hint = 'Give visible ASCII characters, for example apiKey: "my-key".';
  throw new ValidationError("invalid apiKey.", { hint, parameter: "apiKey" });
}

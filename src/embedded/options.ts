import { checkedOptions, invalid, nonEmptyString, nonNegativeInteger, positiveNumber } from "../errors/validators.js";

/** A request quota. */
export interface QuotaOptions {
  /** Requests allowed per window; 0 refuses all. */
  requests: number;
  /** Length of the window in seconds, above 0. */
  seconds: number;
}

/** Options of {@link startEmbeddedArchive}. */
export interface EmbeddedArchiveOptions {
  /** Port on 127.0.0.1, 0 to 65535. Default 0: any free port. */
  port?: number | undefined;
  /** Requests allowed per 60 seconds, or `{ requests, seconds }`; others get a 429. Default: no quota. */
  quota?: number | QuotaOptions | undefined;
  /** The key that requests must send in `x-api-key`. Default `"embedded-archive"`. */
  apiKey?: string | undefined;
}

/** Checked options, with defaults. */
export type ServerOptions = ReturnType<typeof resolveOptions>;

/**
 * Checks the options and applies the defaults.
 *
 * @throws ValidationError for an unknown option or an invalid value
 */
export function resolveOptions(options: EmbeddedArchiveOptions) {
  const checked = checkedOptions(options, ["port", "quota", "apiKey"], "option of startEmbeddedArchive");
  const { port = 0, quota, apiKey = "embedded-archive" } = checked;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid("port", port, "Give an integer from 0 to 65535.");
  return {
    port,
    quota: quota === undefined ? undefined : resolveQuota(quota),
    apiKey: nonEmptyString("apiKey", apiKey, "my-key"),
  };
}

function resolveQuota(quota: number | QuotaOptions): QuotaOptions {
  if (typeof quota !== "object") return { requests: nonNegativeInteger("quota", quota, 100), seconds: 60 };
  const { requests, seconds } = checkedOptions<QuotaOptions>(quota, ["requests", "seconds"], "option of quota");
  return {
    requests: nonNegativeInteger("quota.requests", requests, 100),
    seconds: positiveNumber("quota.seconds", seconds, 60, "seconds"),
  };
}

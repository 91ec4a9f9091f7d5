import { APIError, type APIErrorCode } from "../../errors/index.js";
import { UNTRUSTED } from "./failures.js";
import type { ResolvedOptions } from "./options.js";
import type { Gate, Pass } from "./rateLimitGate.js";
import { backoff, refusalOf } from "./waiting.js";

const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** Connection failures that would repeat: a closed session, an untrusted certificate. */
const PERMANENT = /^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$|^ERR_TLS_|^HOSTNAME_/;

/** After this many refused probes in a row per attempt, the client stops trying: the service refuses everything. */
const PROBES_PER_ATTEMPT = 2;

/** Decides what follows the failed attempts of one request. No other place does, so a new rule goes here. */
export class Retries {
  /** Attempts that failed for another reason than 429. */
  #failures = 0;
  /** Attempts that got a 429 while no other request of the client got through. */
  #refusals = 0;
  #acceptedBefore = -1;
  /** The error of the last attempt. */
  lastFailure: unknown;

  constructor(
    readonly options: Pick<ResolvedOptions, "maxRetries" | "maxRetryWait" | "backoffFactor">,
    readonly gate: Gate,
    readonly random: () => number,
    /** Only a 429 is retried. */
    readonly isProbe: boolean,
  ) {}

  /**
   * Decides what follows an attempt. Reports a 429 to the gate, which then waits on behalf of the whole client.
   *
   * @param retryAfter seconds that the response asks to wait
   * @returns seconds until the next attempt; "none" if it would not help; "none for all" if that concerns all waiting requests of the client
   */
  next(error: unknown, retryAfter: number | undefined, pass: Pass): number | "none" | "none for all" {
    this.lastFailure = error;
    if (!isRetryable(error)) return "none";
    const { response, code } = error;
    const { maxRetries, maxRetryWait } = this.options;
    const isRefusal = code === "RATE_LIMITED";
    const isFinal = response !== undefined && refusalOf(response, retryAfter, maxRetryWait).isFinal;
    let delay = retryAfter;
    if (isRefusal) {
      this.#refusals = this.gate.accepted === this.#acceptedBefore ? this.#refusals + 1 : 1;
      this.#acceptedBefore = this.gate.accepted;
      if (!isFinal)
        pass.refused((inARow) => {
          const wait = this.#backoff(Math.max(inARow, this.#count));
          // From the second refusal in a row on, at least the back-off.
          delay = Math.max(retryAfter ?? wait, inARow > 1 ? wait : 0);
          return delay;
        });
      if (isFinal || this.gate.refusals > PROBES_PER_ATTEMPT * (maxRetries + 1)) {
        pass.exhausted();
        return "none for all";
      }
    } else {
      if (isFinal || this.isProbe) return "none";
      this.#failures += 1;
    }
    if (this.#count > maxRetries) return "none";
    return delay ?? this.#backoff(this.#count);
  }

  /** Failed attempts that count against `maxRetries`. */
  get #count(): number {
    return this.#failures + this.#refusals;
  }

  #backoff(attempts: number): number {
    return backoff(attempts, this.options.backoffFactor, this.random);
  }
}

function isRetryable(error: unknown): error is APIError {
  // 408: the service did not get the request in time.
  if (!(error instanceof APIError && (RETRYABLE.has(error.code) || error.statusCode === 408))) return false;
  const code = (error.cause as { code?: unknown } | null | undefined)?.code;
  return !(typeof code === "string" && (PERMANENT.test(code) || UNTRUSTED.test(code)));
}

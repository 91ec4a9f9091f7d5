import type { CallSignal } from "../../util/callSignal.js";
import type { RequestContext } from "./requester.js";

/**
 * A request of the client until it settles, with all its attempts. Whatever ends it early (the signals of the user, the
 * closing of the client, a used-up quota) aborts `stop` with the typed error as the reason.
 */
export class PendingRequest {
  /** The path as errors show it: redacted. */
  readonly path: string;
  readonly url: URL;
  readonly context: RequestContext;
  readonly stop: CallSignal;
  /** HTTP requests sent so far, retries and redirects included. */
  requests = 0;
  /** The error of the last attempt, if it is retried. */
  lastFailure: Error | undefined;
  /** Attempts that failed for another reason than 429. */
  failures = 0;
  /** No further attempt will be made: the quota is used up, or the service refuses everything. */
  isHopeless = false;
  /** Whether an attempt is on the wire. */
  isSending = false;
  /** Attempts that got a 429 since the service last accepted a request of this client. */
  #refusals = 0;
  #acceptedBefore = -1;

  constructor(path: string, url: URL, context: RequestContext, stop: CallSignal) {
    this.path = path;
    this.url = url;
    this.context = context;
    this.stop = stop;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** Failed attempts that count against `maxRetries`. */
  get failedAttempts(): number {
    return this.failures + this.#refusals;
  }

  /**
   * Counts an HTTP request that is about to be sent.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS` if the budget of the call is used up
   */
  countRequest(): void {
    const { budget, onRequest } = this.context;
    if (budget?.take() === false) throw budget.usedUpError(this.path, this.lastFailure);
    this.requests += 1;
    onRequest?.();
  }

  /**
   * Fails an attempt that could not send anything, before it waits for its turn.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS` if the budget of the call is used up
   */
  checkBudget(): void {
    const { budget } = this.context;
    if (budget?.isUsedUp) throw budget.usedUpError(this.path, this.lastFailure);
  }

  /**
   * Counts a 429. The count starts again whenever another request of the client got through.
   *
   * @param accepted how many requests of the client the service has accepted so far
   */
  countRefusal(accepted: number): void {
    this.#refusals = accepted === this.#acceptedBefore ? this.#refusals + 1 : 1;
    this.#acceptedBefore = accepted;
  }
}

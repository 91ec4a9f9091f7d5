import type { RequestContext } from "./requester.js";

/**
 * One ask, from the queue to its settling. Whatever ends it early (the signals of the user, the closing of the client,
 * a quota that is used up) aborts `signal` with the typed error as the reason, and every wait inside listens to it.
 */
export class Call {
  /** The path as errors show it. */
  readonly path: string;
  readonly url: URL;
  readonly context: RequestContext;
  /** Requests sent so far. */
  requests = 0;
  /** Why the last attempt failed, where it is tried again. */
  lastFailure: Error | undefined;
  /** Attempts that failed with something else than 429. */
  failures = 0;
  /** No further attempt will be made: the quota is used up, or the service refuses everything. */
  isHopeless = false;
  /** Attempts that met 429 since the service last accepted a request of this client. */
  #refusals = 0;
  #acceptedBefore = -1;
  /** Whether a request of this call is on the wire. */
  sending = false;
  readonly #controller = new AbortController();

  constructor(path: string, url: URL, context: RequestContext) {
    this.path = path;
    this.url = url;
    this.context = context;
  }

  /** Aborts with a typed error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Counts a request that is about to be sent.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS` where the budget of the call has none left
   */
  countRequest(): void {
    const { budget, onRequest } = this.context;
    if (budget?.take() === false) throw budget.refuse(this.path, this.lastFailure);
    this.requests += 1;
    onRequest?.();
  }

  /**
   * Counts a 429.
   *
   * @param accepted how many requests of the client the service has accepted so far
   */
  refused(accepted: number): void {
    this.#refusals = accepted === this.#acceptedBefore ? this.#refusals + 1 : 1;
    this.#acceptedBefore = accepted;
  }

  /**
   * Refuses an attempt that could send nothing, before it waits for anything.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS`
   */
  checkBudget(): void {
    const { budget } = this.context;
    if (budget?.isUsedUp) throw budget.refuse(this.path, this.lastFailure);
  }

  /** Failed attempts that count against the call. */
  get failed(): number {
    return this.failures + this.#refusals;
  }

  /** Ends the call with an error, wherever it is. */
  stop(error: Error): void {
    this.#controller.abort(error);
  }
}

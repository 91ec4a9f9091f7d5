import type { AskContext } from "./asker.js";

/**
 * One ask, from the queue to its settling. Whatever ends it early (the signals of the user, the closing of the client,
 * a quota that is used up) aborts `signal` with the typed error as the reason, and every wait inside listens to it.
 */
export class Call {
  /** The path as errors show it. */
  readonly path: string;
  readonly url: URL;
  readonly context: AskContext;
  /** Requests sent so far. */
  requests = 0;
  /** Why the last attempt failed, where it is tried again. */
  lastFailure: Error | undefined;
  /** Whether a request of this call is on the wire. */
  sending = false;
  readonly #controller = new AbortController();

  constructor(path: string, url: URL, context: AskContext) {
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
   * Refuses an attempt that could send nothing, before it waits for anything.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS`
   */
  checkBudget(): void {
    const { budget } = this.context;
    if (budget?.isUsedUp) throw budget.refuse(this.path, this.lastFailure);
  }

  /** Ends the call with an error, wherever it is. */
  stop(error: Error): void {
    this.#controller.abort(error);
  }
}

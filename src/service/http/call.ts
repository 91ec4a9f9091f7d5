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

  /** Ends the call with an error, wherever it is. */
  stop(error: Error): void {
    this.#controller.abort(error);
  }
}

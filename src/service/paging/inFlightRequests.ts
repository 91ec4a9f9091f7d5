import { AbortedError, ArchiveError } from "../../errors/index.js";
import { CallSignal } from "../../util/callSignal.js";
import type { ServiceResponse, WalkContext } from "../http/requester.js";
import type { ArchiveRequest } from "../operations/request.js";
import type { WalkOptions } from "./walkOptions.js";

/** A request that was sent for a page. Its response may be pending. */
export interface PageRequest {
  readonly request: ArchiveRequest;
  readonly response: Promise<ServiceResponse>;
  /** Whether it was sent by page number. Such a page cannot end the walk. */
  readonly isNumbered: boolean;
}

/** Sends the requests of a walk, and cancels those whose pages are no longer needed. */
export class InFlightRequests {
  readonly #all: CallSignal;
  readonly #numbered: CallSignal;
  /** Every promise that has not settled, including those that the walk no longer awaits. */
  readonly #pending = new Set<Promise<ServiceResponse>>();

  constructor(
    readonly options: Pick<WalkOptions, "requester" | "recorder" | "budget" | "signals">,
    readonly walk: WalkContext | undefined,
  ) {
    this.#all = new CallSignal(options.signals);
    this.#numbered = new CallSignal([this.#all.signal]);
  }

  send(request: ArchiveRequest, isNumbered = false): PageRequest {
    const { requester, recorder, budget } = this.options;
    const { signal } = isNumbered ? this.#numbered : this.#all;
    const { walk } = this;
    const response = requester.request(request.path, request.query, { ...recorder.context, walk, budget, signal });
    this.#pending.add(response);
    const settle = () => this.#pending.delete(response);
    // Also marks a rejection as handled: the walk may await this promise later, or never.
    response.then(settle, settle);
    return { request, response, isNumbered };
  }

  cancelNumbered(): void {
    this.#numbered.abort();
  }

  /** @throws AbortedError, also if the reason of the signal is another error */
  throwIfAborted(): void {
    const { aborted, reason } = this.#all.signal;
    if (aborted) throw reason instanceof ArchiveError ? reason : new AbortedError(undefined, reason);
  }

  /** Cancels all requests. Resolves when every one has settled. */
  async stop(): Promise<void> {
    this.#numbered.release();
    this.#all.release();
    this.#numbered.abort();
    this.#all.abort();
    await Promise.allSettled(this.#pending);
  }
}

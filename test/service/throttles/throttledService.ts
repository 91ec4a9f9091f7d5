import { Dispatcher } from "undici";
import type { Clock } from "../../../src/util/clock.js";
import { fastRandom } from "../../../src/util/seededRandom.js";
import { startThrottle, type Throttle, type ThrottleSpec } from "./throttle.js";

/** A throttled service. Times are in milliseconds. */
export interface ServiceSpec {
  readonly throttle: ThrottleSpec;
  /** The Retry-After of a refusal: none, whole seconds as a number or a date, or a fixed number of seconds. */
  readonly retryAfter: "none" | "seconds" | "date" | number;
  /** Network latency in each direction. */
  readonly network: number;
  /** Response time: constant, or random with this mean. */
  readonly service: number;
  readonly isRandom: boolean;
}

/** A running throttled service and its counters. */
export class ThrottledService {
  accepted = 0;
  refused = 0;
  /** When each request was accepted. */
  readonly acceptedAt: number[] = [];
  /** Requests sent while the service had asked to wait. */
  early = 0;
  #toldAt = Number.POSITIVE_INFINITY;
  #waitUntil = Number.NEGATIVE_INFINITY;
  readonly #throttle: Throttle;
  readonly #random = fastRandom(1);

  constructor(
    readonly spec: ServiceSpec,
    readonly clock: Clock,
  ) {
    this.#throttle = startThrottle(spec.throttle);
  }

  /** Receives a request now; its status and headers arrive at the client later. */
  async request(): Promise<readonly [status: number, headers: Record<string, string>]> {
    const { network, service, isRandom } = this.spec;
    const sentAt = this.clock.ticks();
    if (sentAt > this.#toldAt && sentAt < this.#waitUntil) this.early++;
    await this.clock.sleep(network);
    const wait = this.#throttle.take(this.clock.ticks());
    if (wait !== undefined) {
      this.refused++;
      const headers = this.#refusal(wait);
      await this.clock.sleep(network);
      this.#tell(headers["retry-after"]);
      return [429, headers];
    }
    this.accepted++;
    this.acceptedAt.push(this.clock.ticks());
    await this.clock.sleep(isRandom ? -service * Math.log(1 - this.#random()) : service);
    this.#throttle.release();
    await this.clock.sleep(network);
    return [200, {}];
  }

  #tell(retryAfter: string | undefined): void {
    if (retryAfter === undefined) return;
    const now = this.clock.ticks();
    const until = /^\d+$/.test(retryAfter) ? now + 1000 * Number(retryAfter) : Date.parse(retryAfter);
    if (now >= this.#waitUntil) this.#toldAt = now;
    this.#waitUntil = Math.max(this.#waitUntil, until);
  }

  #refusal(wait: number): Record<string, string> {
    const { retryAfter } = this.spec;
    const now = this.clock.now();
    const date = new Date(now).toUTCString();
    if (retryAfter === "none") return { date };
    if (retryAfter === "date")
      return { date, "retry-after": new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString() };
    return { date, "retry-after": String(typeof retryAfter === "number" ? retryAfter : Math.ceil(wait / 1000)) };
  }
}

/** An undici session whose requests go to a service in virtual time. */
export class ThrottledSession extends Dispatcher {
  constructor(readonly target: ThrottledService) {
    super();
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = { abort() {} } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    void this.target.request().then(([status, headers]) => {
      handler.onResponseStart?.(controller, status, headers);
      handler.onResponseData?.(controller, Buffer.from("{}"));
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  }
}

import { Dispatcher } from "undici";
import { fastRandom } from "../../tools/fastRandom.js";
import { type Clock, StandingClock } from "../clocks.js";
import { transportOf } from "../helpers.js";
import { burstOf, startThrottle, sustainedRate, type Throttle, type ThrottleSpec } from "./throttle.js";

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
class ThrottledService {
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
    const now = this.clock.ticks();
    const date = new Date(now).toUTCString();
    if (retryAfter === "none") return { date };
    if (retryAfter === "date")
      return { date, "retry-after": new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString() };
    return { date, "retry-after": String(typeof retryAfter === "number" ? retryAfter : Math.ceil(wait / 1000)) };
  }
}

/** An undici session whose requests go to a service in virtual time. */
class ThrottledSession extends Dispatcher {
  constructor(readonly target: ThrottledService) {
    super();
  }

  override async request(): Promise<Dispatcher.ResponseData> {
    const [statusCode, headers] = await this.target.request();
    return { statusCode, headers, body: [Buffer.from("{}")] } as unknown as Dispatcher.ResponseData;
  }
}

/** The outcome of a run. */
export interface Outcome {
  readonly failures: number;
  readonly accepted: number;
  readonly refused: number;
  /** Requests sent while the service had asked to wait. */
  readonly early: number;
  /** Virtual seconds. */
  readonly seconds: number;
  /** Accepted requests, as a share of what the throttle allows in that time. */
  readonly throughput: number;
  /** Accepted requests per second in the second half. */
  readonly steady: number;
}

const CONCURRENCY = 8;
const START = Date.UTC(2024, 0, 1);

/** Makes a number of concurrent calls with our client. */
export async function runOurs(spec: ServiceSpec, calls: number): Promise<Outcome> {
  const clock = new StandingClock(START);
  const service = new ThrottledService(spec, clock);
  const session = new ThrottledSession(service);
  const options = { baseUrl: "http://127.0.0.1:9", session, concurrency: CONCURRENCY };
  const transport = transportOf(options, [clock, () => 0]);
  const asks = Array.from({ length: calls }, (_, id) => transport.request(`/people/${id}`, []));
  const settled = await clock.run(Promise.allSettled(asks));
  await transport.close();
  return outcome(spec, service, clock, settled.filter(({ status }) => status === "rejected").length);
}

function outcome(
  spec: ServiceSpec,
  { accepted, refused, early, acceptedAt }: ThrottledService,
  clock: StandingClock,
  failures: number,
) {
  const seconds = (clock.ticks() - START) / 1000;
  const trip = (2 * spec.network + spec.service) / 1000;
  const rate = Math.min(sustainedRate(spec.throttle, trip), CONCURRENCY / trip);
  const throughput = accepted / (burstOf(spec.throttle) + rate * seconds);
  const half = acceptedAt.slice(accepted >> 1);
  const steady = (1000 * (half.length - 1)) / ((half.at(-1) as number) - (half[0] as number));
  return { failures, accepted, refused, early, seconds, throughput, steady };
}

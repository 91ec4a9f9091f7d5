import { resolveOptions } from "../../../src/service/http/options.js";
import { Transport } from "../../../src/service/http/transport.js";
import { StandingClock } from "../clocks.js";
import { KEY } from "../key.js";
import { burstOf, sustainedRate } from "./throttle.js";
import { type ServiceSpec, ThrottledService, ThrottledSession } from "./throttledService.js";

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
  const options = resolveOptions({ apiKey: KEY, baseUrl: "http://127.0.0.1:9", session, concurrency: CONCURRENCY }, {});
  const transport = new Transport(options, clock, () => 0);
  const asks = Array.from({ length: calls }, (_, id) => transport.request(`/people/${id}`, []));
  const settled = await clock.run(Promise.allSettled(asks));
  await transport.close();
  return outcome(spec, service, clock, settled.filter(({ status }) => status === "rejected").length);
}

/** Makes a number of sequential calls with the retries of the reference client. */
export async function runSequential(spec: ServiceSpec, calls: number): Promise<Outcome> {
  const clock = new StandingClock(START);
  const service = new ThrottledService(spec, clock);
  const all = async () => {
    let failures = 0;
    for (let call = 0; call < calls; call++) {
      for (let attempt = 0; ; attempt++) {
        const [status, headers] = await service.request();
        if (status === 200) break;
        if (attempt === 3) {
          failures++;
          break;
        }
        await clock.sleep(waitOf(headers["retry-after"], attempt, clock.now()));
      }
    }
    return failures;
  };
  return outcome(spec, service, clock, await clock.run(all()));
}

function waitOf(retryAfter: string | undefined, attempt: number, now: number): number {
  if (retryAfter === undefined) return 500 * 2 ** attempt;
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Math.max(0, Date.parse(retryAfter) - now);
}

function outcome(
  spec: ServiceSpec,
  { accepted, refused, early, acceptedAt }: ThrottledService,
  clock: StandingClock,
  failures: number,
) {
  const seconds = (clock.now() - START) / 1000;
  const trip = (2 * spec.network + spec.service) / 1000;
  const rate = Math.min(sustainedRate(spec.throttle, trip), CONCURRENCY / trip);
  const throughput = accepted / (burstOf(spec.throttle) + rate * seconds);
  const half = acceptedAt.slice(accepted >> 1);
  const steady = (1000 * (half.length - 1)) / ((half.at(-1) as number) - (half[0] as number));
  return { failures, accepted, refused, early, seconds, throughput, steady };
}

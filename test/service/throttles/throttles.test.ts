import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { LONG, runs } from "../../scale.js";
import { type Outcome, runOurs, type ServiceSpec } from "./runClients.js";
import { sustainedRate } from "./throttle.js";

/** Virtual minutes of a run, and its minimum and maximum number of calls. */
const MINUTES = 15;
const [FEWEST, MOST] = [1500, LONG ? 12_000 : 4000];
/** The largest share of refused requests, and the smallest share of the possible throughput. */
const REFUSED = 0.05;
const THROUGHPUT = 0.74;

const quick = { retryAfter: "seconds", network: 0.5, service: 1, isRandom: false } as const;

/** Throttles of known services. */
const NAMED: readonly ServiceSpec[] = [
  { ...quick, throttle: { kind: "token bucket", perSecond: 2, burst: 5 }, retryAfter: 1 },
  { ...quick, throttle: { kind: "token bucket", perSecond: 10, burst: 10 }, retryAfter: "none" },
  { ...quick, throttle: { kind: "fixed window", quota: 50, seconds: 60 } },
  { ...quick, throttle: { kind: "fixed window", quota: 7, seconds: 10 }, retryAfter: "date" },
  { ...quick, throttle: { kind: "sliding window", quota: 20, seconds: 10 } },
  { ...quick, throttle: { kind: "concurrency", most: 3 }, network: 5, service: 150, isRandom: true },
];

const times = {
  network: fc.integer({ min: 1, max: 10 }),
  service: fc.integer({ min: 100, max: 250 }),
  isRandom: fc.boolean(),
};
const truth = ["none", "seconds", "date"] as const;

/** Buckets and concurrency limits often send a constant Retry-After; for a window that would be wrong. */
const services: fc.Arbitrary<ServiceSpec> = fc.oneof(
  fc.record({
    throttle: fc.record({
      kind: fc.constant("token bucket" as const),
      perSecond: fc.integer({ min: 1, max: 12 }),
      burst: fc.integer({ min: 1, max: 40 }),
    }),
    retryAfter: fc.constantFrom(...truth, 1, 2),
    ...times,
  }),
  ...(["fixed window", "sliding window"] as const).map((kind) =>
    fc.record({
      throttle: fc.record({
        kind: fc.constant(kind),
        // In a small sliding window a single early request is a large share.
        quota: fc.integer({ min: kind === "fixed window" ? 5 : 12, max: 60 }),
        seconds: fc.integer({ min: 4, max: 60 }),
      }),
      retryAfter: fc.constantFrom(...truth),
      ...times,
    }),
  ),
  fc.record({
    throttle: fc.record({ kind: fc.constant("concurrency" as const), most: fc.integer({ min: 1, max: 7 }) }),
    retryAfter: fc.constantFrom(...truth, 1, 2),
    ...times,
  }),
);

const GENERATED = fc.sample(services, { numRuns: LONG ? 30 : 3, seed: 7002 });

function nameOf({ throttle, retryAfter, network, service, isRandom }: ServiceSpec): string {
  const limit =
    throttle.kind === "token bucket"
      ? `${throttle.perSecond}/s, burst ${throttle.burst}`
      : throttle.kind === "concurrency"
        ? `${throttle.most} at once`
        : `${throttle.quota} in ${throttle.seconds} s`;
  return `${throttle.kind} ${limit}, Retry-After ${retryAfter}, ${2 * network}+${service} ms${isRandom ? " at random" : ""}`;
}

function callsOf({ throttle, network, service }: ServiceSpec): number {
  const rate = sustainedRate(throttle, (2 * network + service) / 1000);
  return Math.round(Math.min(Math.max(MINUTES * 60 * rate, FEWEST), MOST));
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const refusedShare = ({ accepted, refused }: Outcome) => refused / (accepted + refused);

describe("a client with eight concurrent requests behind a throttle", () => {
  const table: string[] = [];

  it.each([...NAMED, ...GENERATED].map((spec) => [nameOf(spec), spec] as const))("%s", async (name, spec) => {
    const calls = callsOf(spec);
    const ours = await runOurs(spec, calls);
    table.push(
      `| ${name} | ${calls} | ${ours.failures} | ${percent(refusedShare(ours))} | ${percent(ours.throughput)} |`,
    );
    expect(ours.failures).toBe(0);
    expect(ours.early).toBe(0);
    expect(refusedShare(ours)).toBeLessThanOrEqual(REFUSED);
    expect(ours.throughput).toBeGreaterThanOrEqual(THROUGHPUT);
  });

  it("in a table", () => {
    const head = "| throttle | calls | failed | refused | throughput |\n|---|---|---|---|---|";
    console.log([head, ...table].join("\n"));
    expect(table).toHaveLength(NAMED.length + GENERATED.length);
  });
});

/** Buckets that refill within the second for which they ask to wait, so that each refusal costs many requests. */
const fastBuckets = fc
  .record({
    perSecond: fc.integer({ min: 15, max: 40 }),
    /** Seconds that fill the bucket. */
    fill: fc.double({ min: 0.4, max: 2, noNaN: true }),
    retryAfter: fc.constantFrom("seconds" as const, "date" as const, 1),
    network: fc.integer({ min: 1, max: 10 }),
    service: fc.integer({ min: 5, max: 100 }),
    isRandom: fc.boolean(),
  })
  .map(({ perSecond, fill, ...more }): ServiceSpec & { readonly throttle: { readonly perSecond: number } } => {
    const burst = Math.round(perSecond * fill);
    return { ...more, throttle: { kind: "token bucket", perSecond, burst } };
  });

test("a fast token bucket is used to 70 %, with 5 % refused, from the 1,000th request on", async () => {
  const property = fc.asyncProperty(fastBuckets, async (spec) => {
    const ours = await runOurs(spec, 2000);
    expect(ours.failures).toBe(0);
    expect(ours.early).toBe(0);
    expect(refusedShare(ours)).toBeLessThanOrEqual(0.05);
    expect(ours.steady / spec.throttle.perSecond).toBeGreaterThanOrEqual(0.7);
  });
  await fc.assert(property, { numRuns: runs(3, 60), seed: 7002 });
});

import "../../tools/typescript.mjs";
import { atLeast, atMost, exactly } from "../table.mjs";

const { runOurs } = await import("../../service/throttles/runClients.ts");

const quick = { retryAfter: "seconds", network: 0.5, service: 1, isRandom: false };
const SERVICES = [
  ["10 a second, burst 10", { ...quick, throttle: { kind: "token bucket", perSecond: 10, burst: 10 } }],
  ["50 in a fixed minute", { ...quick, throttle: { kind: "fixed window", quota: 50, seconds: 60 } }],
  ["20 in any 10 seconds", { ...quick, throttle: { kind: "sliding window", quota: 20, seconds: 10 } }],
  ["3 at once", { ...quick, throttle: { kind: "concurrency", most: 3 }, network: 5, service: 150, isRandom: true }],
];
const CALLS = 1500;

/** Simulated throttles, in virtual time: calls that fail, requests refused, and the share of the possible rate. */
export default async function throttles() {
  const lines = [];
  for (const [what, service] of SERVICES) {
    const { failures, early, accepted, refused, throughput } = await runOurs(service, CALLS);
    const share = (100 * refused) / (accepted + refused);
    lines.push(
      {
        what: `${what}: failed calls and early requests`,
        median: `${failures}, ${early}`,
        goal: exactly(0, failures + early),
      },
      { what: "  refused", median: `${share.toFixed(1)} %`, goal: atMost(5, share, "%") },
      {
        what: "  of the possible rate",
        median: `${(100 * throughput).toFixed(0)} %`,
        goal: atLeast(70, 100 * throughput, "%"),
      },
    );
  }
  return lines;
}

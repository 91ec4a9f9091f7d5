import { naive, ours } from "../contenders.mjs";
import { all, median, ratio, rounds, timed } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const TOTAL = 5000;
/** Latency dominates, so rounds hardly differ. */
const ROUNDS = 2;

/** A slow service: default options against sequential requests for pages of 20. */
export default async function latency() {
  const server = await startServer({ total: TOTAL, latency: 40 });
  const contenders = { ours: ours(server.url, TOTAL), naive: naive(server.url, 20) };
  const asked = [];
  const measured = {
    async ours() {
      await server.stats();
      const time = await timed(contenders.ours.run)();
      asked.push(await server.stats());
      return time;
    },
    naive: timed(contenders.naive.run),
  };
  const times = await rounds(measured, ROUNDS);
  await contenders.ours.close();
  server.stop();
  const oursMs = all(times.ours, "ms");
  const naiveMs = all(times.naive, "ms");
  const faster = ratio(naiveMs, oursMs);
  const requests = Math.max(...asked.map((stats) => stats.requests));
  const atOnce = Math.max(...asked.map((stats) => stats.atOnce));
  return [
    { what: "5,000 mentions, 40 ms a request", median: `${short(median(oursMs))} ms` },
    {
      what: "one after another, pages of 20",
      median: `${short(median(naiveMs))} ms`,
      ratio: faster,
      goal: atLeast(10, faster, "× ours"),
    },
    { what: "requests", median: String(requests), goal: atMost(60, requests) },
    { what: "open at once", median: String(atOnce) },
  ];
}

import { ours, plain } from "../contenders.mjs";
import { median, ratio, rounds, timed } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const TOTAL = 5000;

/** A slow service: default options, against one request after another in pages of 20. */
export default async function latency() {
  const server = await startServer({ total: TOTAL, latency: 40 });
  const asked = [];
  const times = await rounds({
    async ours() {
      await server.stats();
      const ms = await timed(() => ours(server.url, TOTAL))();
      asked.push(await server.stats());
      return ms;
    },
    plain: timed(() => plain(server.url, 20)),
  });
  server.stop();
  const faster = ratio(times.plain, times.ours);
  const requests = Math.max(...asked.map((stats) => stats.requests));
  const atOnce = Math.max(...asked.map((stats) => stats.atOnce));
  return [
    { what: "5,000 mentions, 40 ms a request", median: `${short(median(times.ours))} ms` },
    {
      what: "one after another, pages of 20",
      median: `${short(median(times.plain))} ms`,
      ratio: faster,
      goal: atLeast(10, faster, "× ours"),
    },
    { what: "requests", median: String(requests), goal: atMost(60, requests) },
    { what: "open at once", median: String(atOnce) },
  ];
}

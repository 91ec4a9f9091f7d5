import { clientOf } from "../contenders.mjs";
import { startServer } from "../startServer.mjs";
import { exactly } from "../table.mjs";

/** Ten rows of a huge result: one request, and none before `collect()`. */
export default async function head() {
  const server = await startServer({ total: 100_000 });
  const archive = clientOf(server.url);
  const scan = archive.scan.mentions("x").head(10);
  const before = (await server.stats()).requests;
  const frame = await scan.collect();
  const { requests } = await server.stats();
  await archive.close();
  server.stop();
  return [
    { what: "requests before collect()", median: String(before), goal: exactly(0, before) },
    { what: "requests of head(10).collect()", median: String(requests), goal: exactly(1, requests) },
    { what: "rows", median: String(frame.height), goal: exactly(10, frame.height) },
  ];
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const SELF = fileURLToPath(import.meta.url);

/**
 * Starts a generated archive (`test/tools`) in a process of its own, so that its work counts for no contender.
 *
 * @param latency milliseconds before each response
 */
export async function startArchive({ latency = 0, ...options } = {}) {
  const child = fork(SELF, [JSON.stringify(options), String(latency)], { execArgv: [] });
  const [archive] = await once(child, "message");
  return { ...archive, stop: () => child.kill() };
}

// The process is this file, started again.
if (process.send !== undefined && process.argv[1] === SELF) {
  await import("../tools/typescript.mjs");
  const { startGeneratedArchive } = await import("../tools/startGenerated.ts");
  const [, , options, latency] = process.argv;
  const { baseUrl, apiKey } = await startGeneratedArchive(JSON.parse(options));
  const slow = createServer(async (request, response) => {
    await sleep(Number(latency));
    const answer = await fetch(new URL(request.url, baseUrl), { headers: { "x-api-key": apiKey } });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await once(slow.listen(0, "127.0.0.1"), "listening");
  process.send({ baseUrl: `http://127.0.0.1:${slow.address().port}/2.0`, apiKey });
  process.on("disconnect", () => process.exit());
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SELF = fileURLToPath(import.meta.url);

/** Starts a generated archive (`test/tools`) in a process of its own, so that its work counts for no contender. */
export async function startArchive(options) {
  const child = fork(SELF, [JSON.stringify(options)], { execArgv: [] });
  const [archive] = await once(child, "message");
  return { ...archive, stop: () => child.kill() };
}

// The process is this file, started again.
if (process.send !== undefined && process.argv[1] === SELF) {
  await import("../faults/server/typescript.mjs");
  const { startGeneratedArchive } = await import("../tools/startGenerated.ts");
  const { baseUrl, apiKey } = await startGeneratedArchive(JSON.parse(process.argv[2]));
  process.send({ baseUrl, apiKey });
  process.on("disconnect", () => process.exit());
}

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { FULL, LONG } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";

const SECONDS = LONG ? 300 : FULL ? 3 : 1;
const folder = temporaryFolder();

/** Resources that a process holds after garbage collection. */
interface Held {
  readonly objects: number;
  readonly files: number;
  readonly resources: number;
  readonly listeners: number;
}

/** Downloads in a child process, free of objects from tests and their server. */
async function soak(baseUrl: string): Promise<{ made: number; before: Held; after: Held }> {
  const script = fileURLToPath(new URL("soakOnce.mjs", import.meta.url));
  const parameters = ["--expose-gc", script, baseUrl, folder, String(SECONDS)];
  const { status, stdout, stderr } = await runProcess(process.execPath, parameters);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as { made: number; before: Held; after: Held };
}

it(`downloading for ${SECONDS} s leaks nothing`, async () => {
  let request = 0;
  await using server = await startPagedServer({
    rows: 2000,
    row: (id) => mention(id, { text: `${id} `.repeat(80) }),
    // Occasionally a request fails and is retried.
    instead: () => (++request % 41 === 0 ? { status: 503 } : request % 67 === 0 ? { reset: true } : undefined),
  });
  const { made, before, after } = await soak(server.baseUrl);
  await server.quiet(0);
  const shown = JSON.stringify({ made, requests: server.requests.length, before, after });
  expect(made, shown).toBeGreaterThan(0);
  expect(after.files, shown).toBeLessThanOrEqual(before.files + 8);
  expect(after.resources, shown).toBeLessThanOrEqual(before.resources + 8);
  expect(after.listeners, shown).toBe(before.listeners);
  expect(after.objects, shown).toBeLessThan(before.objects * 1.15 + 2 ** 20);
  if (LONG) console.log(shown);
});

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { FULL, LONG } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";

type Held = Record<"objects" | "files" | "resources" | "listeners", number>;

const SECONDS = LONG ? 300 : FULL ? 3 : 1;
const SCRIPT = fileURLToPath(new URL("soakOnce.mjs", import.meta.url));

it(`downloading for ${SECONDS} s leaks nothing`, async () => {
  let request = 0;
  await using server = await startPagedServer({
    rows: 2000,
    row: (id) => mention(id, { text: `${id} `.repeat(80) }),
    // Occasionally a request fails and is retried.
    instead: () => (++request % 41 === 0 ? { status: 503 } : request % 67 === 0 ? { reset: true } : undefined),
  });
  // A child process is free of objects from tests and their server.
  const parameters = ["--expose-gc", SCRIPT, server.baseUrl, temporaryFolder(), String(SECONDS)];
  const { status, stdout, stderr } = await runProcess(process.execPath, parameters);
  expect(status, stderr).toBe(0);
  const { rounds, before, after } = JSON.parse(stdout) as { rounds: number; before: Held; after: Held };
  await server.quiet(0);
  expect(rounds, stdout).toBeGreaterThan(0);
  expect(after.files, stdout).toBeLessThanOrEqual(before.files + 8);
  expect(after.resources, stdout).toBeLessThanOrEqual(before.resources + 8);
  expect(after.listeners, stdout).toBe(before.listeners);
  expect(after.objects, stdout).toBeLessThan(before.objects * 1.15 + 2 ** 20);
  if (LONG) console.log(stdout);
});

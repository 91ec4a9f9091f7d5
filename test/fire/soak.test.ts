import { getEventListeners } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { collectGarbage } from "../../src/frames/collectGarbage.js";
import { clientTo, mention } from "../client/clientTo.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { FULL } from "./scale.js";

const SECONDS = FULL ? 300 : 5;

/** What a process holds on to, once garbage is gone. */
async function held(signal: AbortSignal) {
  // Frames are freed by finalizers, which run when the loop turns.
  for (let turn = 0; turn < 5; turn++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed } = process.memoryUsage();
  const files = readdirSync("/proc/self/fd").length;
  return {
    rss,
    heapUsed,
    files,
    resources: process.getActiveResourcesInfo().length,
    listeners: getEventListeners(signal, "abort").length,
  };
}

it(`harvests for ${SECONDS} s leave nothing behind`, { timeout: (SECONDS + 120) * 1000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-soak-"));
  let request = 0;
  await using server = await startPagedServer({
    rows: 2000,
    row: (id) => mention(id, { text: `${id} `.repeat(80) }),
    // Now and then it fails, in one of the ways that are tried again.
    instead: () => (++request % 41 === 0 ? { status: 503 } : request % 67 === 0 ? { reset: true } : undefined),
  });
  const { signal } = new AbortController();
  await using archive = clientTo(server, { signal, concurrency: 4, maxRetries: 10 });
  const rounds = [
    async () => expect((await archive.mentions("a", { maxItems: 2000 })).height).toBe(2000),
    async () => {
      let rows = 0;
      for await (const batch of archive.scan.mentions("a").batches()) rows += batch.height;
      expect(rows).toBe(2000);
    },
    () => archive.save("mentions", join(folder, "a.jsonl"), { query: "a", maxItems: 500, signal }),
    () => archive.save("mentions", join(folder, "a.parquet"), { query: "a", maxItems: 500, signal }),
    async () => expect(await archive.mentions("a", { format: "records", maxItems: 300, signal })).toHaveLength(300),
    async () => {
      for await (const row of archive.iterRecords("mentions", { query: "a" })) if (row.id === "150") break;
    },
    () => archive.scan.mentions("a").head(10).collect(),
    () => expect(archive.mentions("a", { maxItems: 2000, signal: AbortSignal.timeout(1) })).rejects.toThrow(),
  ];
  const round = async () => {
    for (const each of rounds) await each();
    // The server of the tests remembers every request; that is its own.
    (server.requests as unknown[]).length = 0;
  };
  for (let warm = 0; warm < 5; warm++) await round();
  const before = await held(signal);
  const until = Date.now() + SECONDS * 1000;
  let made = 0;
  for (; Date.now() < until; made++) await round();
  const after = await held(signal);
  rmSync(folder, { recursive: true });
  const shown = JSON.stringify({ made, before, after });
  expect(made, shown).toBeGreaterThan(0);
  expect(after.files, shown).toBeLessThanOrEqual(before.files + 8);
  expect(after.resources, shown).toBeLessThanOrEqual(before.resources + 8);
  expect(after.listeners, shown).toBe(before.listeners);
  expect(after.heapUsed, shown).toBeLessThan(before.heapUsed * 1.15 + 2 ** 21);
  expect(after.rss, shown).toBeLessThan(before.rss * 1.25 + 64 * 2 ** 20);
  expect(server.connections.open, shown).toBeLessThanOrEqual(8);
  if (FULL) console.log(shown);
});

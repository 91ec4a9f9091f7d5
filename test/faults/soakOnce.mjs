// node soakOnce.mjs <base URL> <directory> <seconds>: downloads in all ways for a while and prints the resources held before and after.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, folder, seconds] = process.argv.slice(2);
const { signal } = new AbortController();
const options = { baseUrl, apiKey: "canary-Key", signal, concurrency: 4, maxRetries: 10, backoffFactor: 0 };
const archive = new ArchiveClient({ ...options, progress: false });

/** One call of each kind. */
async function round() {
  assert.equal((await archive.mentions("a", { maxItems: 2000 })).height, 2000);
  assert.equal((await archive.mentions("a", { format: "records", maxItems: 300, signal })).length, 300);
  assert.equal((await archive.scan.mentions("a").head(10).collect()).height, 10);
  let rows = 0;
  for await (const batch of archive.scan.mentions("a").batches()) rows += batch.height;
  assert.equal(rows, 2000);
  for await (const row of archive.iterRecords("mentions", { query: "a" })) if (row.id === "150") break;
  for (const name of ["a.jsonl", "a.parquet"])
    await archive.save("mentions", join(folder, name), { query: "a", maxItems: 500, signal });
  // It may finish before its signal aborts it.
  await archive
    .mentions("a", { maxItems: 2000, signal: AbortSignal.timeout(1) })
    .catch(({ code }) => assert.equal(code, "ABORTED"));
}

/** Resources held after garbage collection, without compiled code, which V8 creates and drops as it likes. */
async function held() {
  // Frames are freed by finalizers, which run in later turns of the event loop.
  for (let turn = 0; turn < 10; turn++) {
    globalThis.gc();
    await delay(20);
  }
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.includes("code"));
  return {
    objects: spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0),
    files: readdirSync("/proc/self/fd").length,
    resources: process.getActiveResourcesInfo().length,
    listeners: getEventListeners(signal, "abort").length,
  };
}

for (let warm = 0; warm < 5; warm++) await round();
const before = await held();
let rounds = 0;
for (const until = Date.now() + Number(seconds) * 1000; Date.now() < until; rounds++) await round();
const after = await held();
await archive.close();
console.log(JSON.stringify({ rounds, before, after }));

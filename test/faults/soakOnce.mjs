// node soakOnce.mjs <base URL> <directory> <seconds>: downloads in all ways for a while and prints the resources held before and after.
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getHeapSpaceStatistics } from "node:v8";
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, folder, seconds] = process.argv.slice(2);
const { signal } = new AbortController();
const options = { baseUrl, apiKey: "canary-Key", signal, concurrency: 4, maxRetries: 10, backoffFactor: 0 };
const archive = new ArchiveClient({ ...options, progress: false });

/** One call of each kind; returns the number of rows, the path of the file, or the error code. */
const calls = [
  async () => (await archive.mentions("a", { maxItems: 2000 })).height,
  async () => {
    let rows = 0;
    for await (const batch of archive.scan.mentions("a").batches()) rows += batch.height;
    return rows;
  },
  () => archive.save("mentions", join(folder, "a.jsonl"), { query: "a", maxItems: 500, signal }),
  () => archive.save("mentions", join(folder, "a.parquet"), { query: "a", maxItems: 500, signal }),
  async () => (await archive.mentions("a", { format: "records", maxItems: 300, signal })).length,
  async () => {
    for await (const row of archive.iterRecords("mentions", { query: "a" })) if (row.id === "150") return 150;
  },
  async () => (await archive.scan.mentions("a").head(10).collect()).height,
  () =>
    archive.mentions("a", { maxItems: 2000, signal: AbortSignal.timeout(1) }).then(
      () => 0,
      (error) => error.code,
    ),
];
const EXPECTED = [2000, 2000, join(folder, "a.jsonl"), join(folder, "a.parquet"), 300, 150, 10, "ABORTED"];

async function round() {
  const results = [];
  for (const call of calls) results.push(await call());
  // The last call may finish before its signal aborts it.
  if (results.at(-1) === 0) results[results.length - 1] = "ABORTED";
  if (results.some((one, at) => one !== EXPECTED[at])) throw new Error(`wrong: ${results}`);
}

/** Resources held after garbage collection, without compiled code, which V8 creates and drops as it likes. */
async function held() {
  // Frames are freed by finalizers, which run in later turns of the event loop.
  for (let turn = 0; turn < 10; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
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
let made = 0;
for (const until = Date.now() + Number(seconds) * 1000; Date.now() < until; made++) await round();
const after = await held();
await archive.close();
console.log(JSON.stringify({ made, before, after }));

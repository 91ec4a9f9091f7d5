/** Runs every kind of call with a signal, at the given concurrency, and prints the warnings of Node. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, concurrency] = process.argv.slice(2);
const warnings = [];
process.on("warning", (warning) => warnings.push(`${warning.name}: ${warning.message}`));

const dir = mkdtempSync(join(tmpdir(), "frames-"));
const { signal } = new AbortController();
const options = { apiKey: "key-of-the-test", baseUrl, concurrency: Number(concurrency), progress: false, signal };
const own = { signal: new AbortController().signal };
const drain = async (rows) => {
  for await (const _ of rows);
};

async function runEveryCall(archive, name) {
  const scan = archive.scan.mentions("x");
  await Promise.all([
    archive.mentions("x", { maxItems: 1500, ...own }),
    drain(archive.iterRecords("mentions", { query: "x", maxItems: 500, ...own })),
    scan.collect(own),
    scan.sort("id").collect(own),
    scan.count(own),
    drain(scan.batches(own)),
    drain(scan.records(own)),
    scan.sink(join(dir, `${name}.parquet`), own),
    archive.save("mentions", join(dir, `${name}.csv`), { query: "x", ...own }),
    // The second call waits for the lookups of the first.
    archive.speechesOnBill({ title: "Some Act", ...own }),
    archive.speechesOnBill({ title: "Some Act", ...own }),
    ...Array.from({ length: 100 }, (_, id) => archive.person(id + 1, own)),
  ]);
  await archive.close();
}

await runEveryCall(new ArchiveClient(options), "plain");
await runEveryCall(
  new ArchiveClient({ ...options, snapshot: { dir: join(dir, "snapshot"), mode: "record" } }),
  "recorded",
);
await runEveryCall(
  new ArchiveClient({ ...options, snapshot: { dir: join(dir, "snapshot"), mode: "replay" } }),
  "replayed",
);
await runEveryCall(new ArchiveClient({ ...options, cache: { dir: join(dir, "cache"), maxAge: 60 } }), "cached");
rmSync(dir, { recursive: true });
await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify(warnings));

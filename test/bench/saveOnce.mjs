/**
 * Saves all mentions once in a fresh process and prints the time and memory used: `saveOnce.mjs <url> <file>`. With `-` as the
 * file, the pages are only downloaded. With `floor` before the file, a plain loop takes the steps that no writer of JSON Lines with
 * the same guarantees can leave out; with `floorParquet`, it only writes the rows as Parquet, without any guarantee.
 */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { clientOf, KEY, raw } from "./contenders.mjs";
import { anonymousMb } from "./ownMemory.mjs";
import { timed } from "./rounds.mjs";

const [url, ...more] = process.argv.slice(2);
const path = more.at(-1);
const LIMIT = 1000;

let peakMb = 0;
const watch = setInterval(() => {
  peakMb = Math.max(peakMb, anonymousMb());
}, 20);

const HOW = { "-": () => download(), floor, floorParquet };
const time = await timed(HOW[more[0]] ?? save)();
clearInterval(watch);
process.stdout.write(JSON.stringify({ ...time, peakMb: Math.max(peakMb, anonymousMb()) }));

async function download(use) {
  const { run, close } = raw(url, LIMIT, false, use);
  await run();
  await close();
}

/** Provenance, key, validation, duplicates, journal, and the file with its hash. Writes the bodies, which are as long as the lines. */
async function floor() {
  const { FrameBuilder } = await import("../../dist/frames/frameBuilder.js");
  const { Secret } = await import("../../dist/service/http/secret.js");
  const { scanPage } = await import("../../dist/pages/scanPage.js");
  const { operations } = await import("../../dist/service/operations/operations.js");
  const { SeenRows } = await import("../../dist/service/paging/seenRows.js");
  const { schema } = new FrameBuilder(operations.mentions.columns);
  const [key, seen] = [new Secret(KEY), new SeenRows()];
  const [provenance, fileHash] = [createHash("sha256"), createHash("sha256")];
  const [journal, file] = [openSync(`${path}.journal`, "w"), openSync(path, "w")];
  await download((bytes) => {
    key.redactBody(bytes);
    provenance.update(bytes);
    crc32(bytes);
    writeSync(journal, bytes);
    seen.withoutDuplicates({ bytes, ...scanPage(bytes, "mentions", schema) }, { conflicts: 0 });
    fileHash.update(bytes);
    writeSync(file, bytes);
  });
  fsyncSync(file);
  closeSync(file);
  closeSync(journal);
  rmSync(`${path}.journal`);
}

/** The pages, scanned, into a file. No provenance, key, duplicates or journal. */
async function floorParquet() {
  const { FrameBuilder } = await import("../../dist/frames/frameBuilder.js");
  const { writeRows } = await import("../../dist/files/writeRows.js");
  const { scanPage } = await import("../../dist/pages/scanPage.js");
  const { operations } = await import("../../dist/service/operations/operations.js");
  const builder = new FrameBuilder(operations.mentions.columns);
  const scratch = mkdtempSync(`${path}.`);
  const files = [];
  const spill = () => {
    files.push(`${scratch}/${files.length}.arrow`);
    writeFileSync(files.at(-1), builder.take().writeIPC());
  };
  await download((bytes) => {
    builder.add(scanPage(bytes, "mentions", builder.schema));
    if (builder.rows >= 10_000) spill();
  });
  spill();
  await writeRows(files, { path, scratch, name: "mentions" }, { format: "parquet", formatOptions: {} });
  rmSync(scratch, { recursive: true });
  rmSync(path);
}

async function save() {
  const archive = clientOf(url, { pageSize: LIMIT, concurrency: 1, progress: false });
  await archive.save("mentions", path, { query: "x" });
  await archive.close();
}

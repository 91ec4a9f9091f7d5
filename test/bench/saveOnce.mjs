/**
 * Saves all mentions once in a fresh process and prints the time and memory used: `saveOnce.mjs <url> <file>`. With `-` as the
 * file, the pages are only downloaded.
 */
import { readFileSync } from "node:fs";
import { clientOf, raw } from "./contenders.mjs";
import { timed } from "./rounds.mjs";

const [url, path] = process.argv.slice(2);
const LIMIT = 1000;
const MB = 2 ** 20;

let peakMb = 0;
const watch = setInterval(() => {
  peakMb = Math.max(peakMb, ownMb());
}, 20);

const time = await timed(path === "-" ? download : save)();
clearInterval(watch);
process.stdout.write(JSON.stringify({ ...time, peakMb: Math.max(peakMb, ownMb()) }));

async function download() {
  const { run, close } = raw(url, LIMIT, false);
  await run();
  await close();
}

async function save() {
  const archive = clientOf(url, { pageSize: LIMIT, concurrency: 1, progress: false });
  await archive.save("mentions", path, { query: "x" });
  await archive.close();
}

/** Memory of this process, without memory-mapped files. */
function ownMb() {
  try {
    return Number(/RssAnon:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    return process.memoryUsage.rss() / MB;
  }
}

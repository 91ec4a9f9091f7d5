/**
 * Saves all mentions once, in a process of its own, and prints the time and the memory that took:
 * `saveOnce.mjs <url> <file>`; with `-` for the file the pages are only downloaded.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { clientOf } from "./contenders.mjs";

const [url, path] = process.argv.slice(2);
const LIMIT = 1000;
const MB = 2 ** 20;

let peakMb = 0;
const watch = setInterval(() => {
  peakMb = Math.max(peakMb, ownMb());
}, 20);

const begun = performance.now();
if (path === "-") await download();
else {
  const archive = clientOf(url, { pageSize: LIMIT, concurrency: 1, progress: false });
  await archive.save("mentions", path, { query: "x" });
  await archive.close();
}
const ms = performance.now() - begun;
clearInterval(watch);
process.stdout.write(JSON.stringify({ ms, peakMb: Math.max(peakMb, ownMb()) }));

/** Every page, one after the other, let go at once. */
async function download() {
  const dispatcher = new Agent({ connections: 1 });
  for (let cursor = ""; ; ) {
    const { body } = await request(`${url}/mentions?query=x&limit=${LIMIT}${cursor}`, { dispatcher });
    const head = Buffer.from(await body.arrayBuffer())
      .subarray(0, 100)
      .toString("latin1");
    if (!head.includes('"mentions"')) break;
    cursor = `&cursor=${/"cursor":"([^"]*)"/.exec(head)[1]}`;
  }
  await dispatcher.close();
}

/** Memory of this process, without files that are mapped into it. */
function ownMb() {
  try {
    return Number(/RssAnon:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    return process.memoryUsage.rss() / MB;
  }
}

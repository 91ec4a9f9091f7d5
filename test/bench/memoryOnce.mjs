/** Harvests once, as batches or collected, and prints how much memory that took: `memoryOnce.mjs batches <url> <rows>`. */
import { readFileSync } from "node:fs";
import { clientOf } from "./contenders.mjs";

const [how, url, total] = process.argv.slice(2);
const MB = 2 ** 20;
const archive = clientOf(url, { pageSize: 1000 });
const scan = archive.scan.mentions("x");
const baseMb = process.memoryUsage.rss() / MB;

let rows = 0;
let frameMb = 0;
if (how === "batches") {
  for await (const frame of scan.batches()) rows += frame.height;
} else {
  const frame = await scan.collect();
  rows = frame.height;
  // Only the native frame below the public one knows its size.
  frameMb = frame.inner().estimatedSize() / MB;
}
if (rows !== Number(total)) throw new Error(`${rows} rows came instead of ${total}`);
await archive.close();
process.stdout.write(JSON.stringify({ baseMb, peakMb: peakMb(), frameMb }));

/** The most memory this process had. Where there is no /proc, `maxRSS` has it, which may count the parent's too. */
function peakMb() {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

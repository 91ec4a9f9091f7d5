/**
 * Downloads once, and prints the memory used: `memoryOnce.mjs <how> <url> <rows>`, as `batches`, `collect`, `download` (bodies that are
 * discarded) or `plain` (a loop that makes each page a frame, and discards it).
 */
import { FrameBuilder } from "../../dist/frames/frameBuilder.js";
import { scanPage } from "../../dist/pages/scanPage.js";
import { operations } from "../../dist/service/operations/operations.js";
import { clientOf, raw } from "./contenders.mjs";
import { peakMb } from "./ownMemory.mjs";

const [how, url, total] = process.argv.slice(2);
const MB = 2 ** 20;
const archive = clientOf(url, { pageSize: 1000 });
const scan = archive.scan.mentions("x");
const baseMb = process.memoryUsage.rss() / MB;

let rows = 0;
let frameMb = 0;
if (how === "download") await download(() => (rows += 1000));
else if (how === "plain") {
  const builder = new FrameBuilder(operations.mentions.columns);
  await download((body) => {
    builder.add(scanPage(body, "mentions", builder.schema));
    rows += builder.take().height;
  });
} else if (how === "batches") {
  for await (const frame of scan.batches()) rows += frame.height;
} else {
  const frame = await scan.collect();
  rows = frame.height;
  // Only the native frame inside the public one knows its size.
  frameMb = frame.inner().estimatedSize() / MB;
}
if (rows !== Number(total)) throw new Error(`${rows} rows instead of ${total}`);
await archive.close();
process.stdout.write(JSON.stringify({ baseMb, peakMb: peakMb(), frameMb }));

async function download(use) {
  const contender = raw(url, 1000, false, use);
  await contender.run();
  await contender.close();
}

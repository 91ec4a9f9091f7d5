// node test/docs/images.mjs: draws the picture of the README, from dist, on the embedded archive. Needs Chromium.
import { join } from "node:path";
import { openArchive } from "archive-frames";
import { displayBundle } from "archive-frames/notebook";
import { chromium } from "playwright-core";

const directory = join(import.meta.dirname, "../../notebooks/images");
const archive = await openArchive({ announce: false, progress: false });
const frame = await archive.scan
  .mentions("climate", { mindate: "2024-01-01" })
  .select("begintime", "length", "person", "text", "programTitle")
  .collect({ maxItems: 500 });
const table = displayBundle(frame, { rows: 6, width: 40 });
await archive.close();

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 600 }, deviceScaleFactor: 1.25 });
const html = `<body style="margin:0;background:#fff;font:13px system-ui,sans-serif"><div id="table" style="display:inline-block;padding:12px">${table["text/html"]}</div>`;
await page.setContent(html);
await page.locator("#table").screenshot({ path: join(directory, "table.png") });
await browser.close();

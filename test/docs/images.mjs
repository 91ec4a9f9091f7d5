// node test/docs/images.mjs: draws the picture of the README, from dist, on the embedded archive. Needs Chromium.
import { join } from "node:path";
import { runNotebook } from "archive-frames/notebook";
import { chromium } from "playwright-core";

const source = `import { openArchive } from "archive-frames";
import { show } from "archive-frames/notebook";
const archive = await openArchive({ announce: false, progress: false });
const scan = archive.scan.mentions("climate", { mindate: "2024-01-01" });
show(await scan.select("begintime", "length", "person", "text").collect({ maxItems: 500 }), { rows: 6, width: 40 });`;
const cell = { cell_type: "code", metadata: {}, source, outputs: [], execution_count: null };
const { cells } = await runNotebook({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 });
const html = cells[0].outputs.at(-1).data["text/html"];
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 600 }, deviceScaleFactor: 1.25 });
const style = "display:inline-block;padding:12px;background:#fff;font:13px system-ui,sans-serif";
await page.setContent(`<body style="margin:0"><div id="table" style="${style}">${html}</div>`);
await page.locator("#table").screenshot({ path: join(import.meta.dirname, "../../notebooks/images/table.png") });
await browser.close();

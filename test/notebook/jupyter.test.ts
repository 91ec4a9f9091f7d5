import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LONG } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import type { ScriptedServer } from "../service/scriptedServer.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const JUPYTER = "/usr/bin/jupyter-notebook";
const CHROMIUM = "/usr/bin/chromium";
/** Where to save screenshots for visual inspection. */
const SCREENSHOTS = process.env.SCREENSHOTS;
const START = 120_000;

/** Classic Jupyter in a real browser, as a user sees it. */
describe.skipIf(!LONG || !existsSync(JUPYTER) || !existsSync(CHROMIUM))("classic Jupyter", () => {
  const work = mkdtempSync(join(tmpdir(), "archive-frames-jupyter-"));
  let service: ScriptedServer;
  let jupyter: ChildProcess;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    service = await startPagedServer({ rows: 1_000_000, most: 100, unnumbered: true });
    writeFileSync(join(work, "test.ipynb"), JSON.stringify(notebookOf(service.baseUrl)));
    const { ARCHIVE_API_KEY, ARCHIVE_BASE_URL, ...plain } = process.env;
    const home = join(work, "home");
    mkdirSync(home);
    const env = { ...plain, HOME: home, JUPYTER_PATH: join(work, "share/jupyter") };
    execFileSync(process.execPath, [MAIN, "kernel", "install", "--prefix", work], { env });
    const port = await freePort();
    const options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", `--port=${port}`, `--notebook-dir=${work}`];
    jupyter = spawn(JUPYTER, [...options, "--NotebookApp.token=", "--NotebookApp.password="], { env, stdio: "ignore" });
    const url = `http://127.0.0.1:${port}/notebooks/test.ipynb`;
    await waitUntilListening(url);
    const flags =
      "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
    browser = await chromium.launch({ executablePath: CHROMIUM, args: flags.split(" ") });
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    await page.goto(url);
    await page.waitForFunction("window.Jupyter?.notebook?.kernel?.is_connected()", undefined, { timeout: START });
    await page.waitForSelector("#kernel_indicator .kernel_idle_icon, i.kernel_idle_icon", { timeout: START });
  }, START);

  afterAll(async () => {
    await browser?.close();
    jupyter?.kill("SIGTERM");
    if (jupyter?.exitCode === null) await new Promise((resolve) => jupyter.once("exit", resolve));
    await service?.close();
    rmSync(work, { recursive: true, force: true });
  }, START);

  const execute = (cell: number) => page.evaluate(`Jupyter.notebook.execute_cells([${cell}])`);
  const output = (cell: number) => page.locator(".cell").nth(cell).locator(".output_wrapper");
  const screenshot = (name: string) =>
    SCREENSHOTS === undefined ? undefined : page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });

  it("shows a frame as a table, and hostile text as text", { timeout: START }, async () => {
    await execute(0);
    await output(0).locator("table").waitFor({ timeout: START });
    expect(await output(0).locator("th").allTextContents()).toContainEqual(expect.stringContaining("<script>"));
    expect(await output(0).locator("td").allTextContents()).toContainEqual(expect.stringContaining("<img src=x"));
    expect(await output(0).locator("img, script, iframe").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await screenshot("frame");
  });

  it("updates a progress bar, stops requests with the stop button, and runs the next cell", {
    timeout: START,
  }, async () => {
    await execute(1);
    const bar = output(1).locator('[role="progressbar"]');
    await bar.waitFor({ timeout: START });
    const rows = async () => Number((await output(1).textContent())?.match(/([\d,]+) rows?/)?.[1]?.replaceAll(",", ""));
    const before = await rows();
    await page.waitForFunction(
      `Number((/([\\d,]+) rows?/.exec(document.querySelectorAll(".cell")[1].textContent) ?? [])[1]?.replaceAll(",", "")) > ${before}`,
      undefined,
      { timeout: START },
    );
    await screenshot("bar");
    await page.locator('button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click();
    const pressed = performance.now();
    await output(1).locator(".output_error").waitFor({ timeout: START });
    await service.quiet();
    const asked = service.requests.length;
    const took = performance.now() - pressed;
    await sleep(1000);
    expect(service.requests.length, "requests after the stop").toBe(asked);
    // A second on an idle machine; far less than a request timeout on any machine.
    expect(took).toBeLessThan(20_000);
    await execute(2);
    await expect.poll(() => output(2).textContent(), { timeout: START }).toMatch(/kept true/);
    expect(await bar.count()).toBe(0);
    expect(await output(1).textContent()).toMatch(/rows in [\d,]+ pages.*interrupted/);
    await screenshot("stopped");
  });
});

function notebookOf(baseUrl: string): object {
  const sources = [
    `import { ArchiveClient, pl } from "archive-frames";
const archive = new ArchiveClient({ baseUrl: "${baseUrl}", apiKey: "key", pageSize: 20 });
pl.DataFrame({ "<script>hacked=1</script>": ["<img src=x onerror=hacked=1>", "</td></table><b>"], rows: [1, 2] })`,
    `await archive.scan.mentions("climate").collect()`,
    `console.log("kept", archive.lastResult().rows > 0)`,
  ];
  return {
    cells: sources.map((source) => ({ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source })),
    metadata: {
      kernelspec: { name: "archive-frames", display_name: "TypeScript (archive-frames)", language: "typescript" },
    },
    nbformat: 4,
    nbformat_minor: 4,
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function waitUntilListening(url: string): Promise<void> {
  for (;;) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not listening yet.
    }
    await sleep(200);
  }
}

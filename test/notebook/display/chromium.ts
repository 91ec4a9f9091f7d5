import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** The browser of the tests; undefined, and those tests skipped, if none is installed. */
export const CHROMIUM: string | undefined = PATHS.find((path) => existsSync(path));

/** The browser of this process, which ends with it: starting one takes a second. */
const shared = globalThis as { testBrowser?: Promise<Browser> };

/** Opens a page with storage of its own, which is closed after its test. */
export async function newPage(options?: BrowserContextOptions): Promise<Page> {
  shared.testBrowser ??= chromium.launch({
    executablePath: CHROMIUM as string,
    args: ["--no-sandbox", "--disable-gpu"],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const page = await (await shared.testBrowser).newPage(options);
  onTestFinished(() => page.close());
  return page;
}

import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
  });
  const page = await (await shared.testBrowser).newPage(options);
  onTestFinished(() => page.close());
  return page;
}

/** What a browser made of several pieces of HTML. */
export interface Dom {
  /** The elements in each piece, with their attributes. */
  readonly pieces: ReadonlyArray<ReadonlyArray<{ readonly tag: string; readonly attributes: Record<string, string> }>>;
  /** Elements of the page outside all pieces. */
  readonly astray: readonly string[];
  /** Whether a script in them ran: payloads set `window.hacked`. */
  readonly hacked: boolean;
}

// Waits until payloads have had a chance to act: their images have failed.
const AUDIT = `new Promise((resolve) => setTimeout(resolve, 200)).then(() => {
  const pieces = [...document.querySelectorAll("body > section.piece")];
  const partOf = ({ localName, attributes }) => ({ tag: localName, attributes: Object.fromEntries([...attributes].map(({ name, value }) => [name, value])) });
  const astray = [...document.querySelectorAll("html > *, head > *, body > *")].filter((element) => !(element.matches("head, body, meta#charset") || pieces.includes(element)));
  return {
    pieces: pieces.map((piece) => [...piece.querySelectorAll("*")].map(partOf)),
    astray: astray.map((element) => element.outerHTML.slice(0, 200)),
    hacked: "hacked" in window,
  };
})`;

/** Parses pieces of HTML in a browser, all on one page, with scripts allowed. */
export async function domOf(page: Page, pieces: readonly string[]): Promise<Dom> {
  const sections = pieces.map((html) => `<section class="piece">${html}</section>`).join("");
  const file = join(mkdtempSync(join(tmpdir(), "page-")), "page.html");
  writeFileSync(file, `<!DOCTYPE html><meta id="charset" charset="utf-8">${sections}`);
  await page.goto(pathToFileURL(file).href);
  return (await page.evaluate(AUDIT)) as Dom;
}

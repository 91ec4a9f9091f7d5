import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** The browser that parses HTML in tests; undefined, and those tests skipped, if none is installed. */
export const CHROMIUM: string | undefined = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));

/** A browser for the tests of a `describe`; returns a function that opens a page, which is closed after its test. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(() => browser?.close());
  return async (options) => {
    const page = await browser.newPage(options);
    onTestFinished(() => page.close());
    return page;
  };
}

const QUIET = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** An element that a browser created from some HTML, with its attributes. */
export interface DomElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What a browser made of several pieces of HTML. */
export interface Dom {
  /** The elements in each piece. */
  readonly pieces: readonly (readonly DomElement[])[];
  /** The text of each piece. */
  readonly texts: readonly string[];
  /** Elements of the page outside all pieces. */
  readonly astray: readonly string[];
  /** Whether a script in them ran: payloads set `window.hacked`. */
  readonly hacked: boolean;
}

// Runs once payloads have had a chance to act: after loading, and after their images have failed.
const AUDIT = `<script id="audit">
addEventListener("load", () => setTimeout(() => {
  const pieces = [...document.querySelectorAll("body > section.piece")];
  const report = {
    pieces: pieces.map((piece) => [...piece.querySelectorAll("*")].map((element) => ({
      tag: element.localName,
      attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    }))),
    texts: pieces.map((piece) => piece.textContent),
    astray: [...document.querySelectorAll("html > *, head > *, body > *")]
      .filter((element) => !(element.matches("head, body, meta#charset, script#audit") || pieces.includes(element)))
      .map((element) => element.outerHTML.slice(0, 200)),
    hacked: "hacked" in window,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(report));
  document.documentElement.setAttribute("data-report", btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
}, 200));
</script>`;

/** Parses pieces of HTML in a browser, all on one page, with scripts allowed. */
export function domOf(pieces: readonly string[]): Dom {
  const sections = pieces.map((html) => `<section class="piece">${html}</section>`).join("");
  return report(`<!DOCTYPE html><meta id="charset" charset="utf-8">${AUDIT}${sections}`);
}

/** Parses a page in a browser. */
export function dumpDom(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-chromium-"));
  try {
    const file = join(folder, "page.html");
    writeFileSync(file, page);
    const args = [
      ...QUIET,
      `--user-data-dir=${join(folder, "profile")}`,
      "--virtual-time-budget=5000",
      "--dump-dom",
      `file://${file}`,
    ];
    return execFileSync(CHROMIUM as string, args, {
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
      timeout: 50_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function report(page: string): Dom {
  const found = /data-report="([A-Za-z0-9+/=]*)"/.exec(dumpDom(page))?.[1];
  if (found === undefined) throw new Error("the page gave no report");
  return JSON.parse(Buffer.from(found, "base64").toString("utf8")) as Dom;
}

import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pl } from "../../../src/index.js";
import { progressBundle, summaryBundle } from "../../../src/notebook/display/progressDisplay.js";
import { displayBundle } from "../../../src/notebook/index.js";
import { CHROMIUM } from "./chromium.js";
import { provenance, setProvenance } from "./provenance.js";

/** The page around an output, and the CSS color variables of each program's themes. */
const THEMES = {
  "JupyterLab, light": "background:#fff;--jp-content-font-color1:rgba(0,0,0,.87)",
  "JupyterLab, dark": "background:#111;--jp-content-font-color1:rgba(255,255,255,1)",
  "VS Code, light": "background:#fff;--vscode-editor-foreground:#3b3b3b",
  "VS Code, dark": "background:#1f1f1f;--vscode-editor-foreground:#cccccc",
  "classic Jupyter": "background:#fff;color:#000",
};

/** The minimum contrast of text (WCAG 2, level AA). */
const MIN_CONTRAST = 4.5;

const event = {
  call: 1,
  operation: "mentions",
  rows: 500,
  pages: 5,
  requests: 5,
  seconds: 2,
  rate: 250,
  maxItems: 1000,
  waiting: undefined,
  verdict: undefined,
  reason: undefined,
};

describe.skipIf(CHROMIUM === undefined)("displays are legible", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(() => browser?.close());

  it.each(Object.entries(THEMES))("in %s, with a dark or light system theme", async (_, style) => {
    const frame = setProvenance(pl.DataFrame({ n: Array.from({ length: 30 }, (_, n) => n || null) }), provenance());
    const bundles = [displayBundle(frame), progressBundle(event), summaryBundle({ ...event, verdict: "complete" })];
    const html = bundles.map((bundle) => bundle?.["text/html"]).join("");
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ colorScheme });
      await page.setContent(`<body style="${style}">${html}</body>`);
      const contrasts = JSON.parse(String(await page.evaluate(CONTRASTS))) as Array<[text: string, contrast: number]>;
      await page.close();
      expect(contrasts.map(([text]) => text)).toEqual(
        expect.arrayContaining(["30 rows × 1 column", "n", "f64", "null", "…", expect.stringContaining("500 rows in")]),
      );
      expect(contrasts.filter(([, contrast]) => contrast < MIN_CONTRAST)).toEqual([]);
    }
  });
});

/** Runs in the page: the contrast of every text's color, with all opacities applied, against its background. */
const CONTRASTS = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() === "" || parentElement.localName === "style") continue;
    let [r, g, b, seen = 1] = numbers(getComputedStyle(parentElement).color);
    for (let at = parentElement; at !== null; at = at.parentElement) seen *= Number(getComputedStyle(at).opacity);
    const ink = [r, g, b].map((part, at) => part * seen + paper[at] * (1 - seen));
    const [dark, bright] = [light(ink), light(paper)].sort((a, b) => a - b);
    found.push([data, (bright + 0.05) / (dark + 0.05)]);
  }
  return JSON.stringify(found);
})()`;

import { describe, expect, it } from "vitest";
import { pl } from "../../../src/index.js";
import { displayBundle } from "../../../src/notebook/display/displayBundle.js";
import { progressBundle, summaryBundle } from "../../../src/notebook/display/progressDisplay.js";
import { chart } from "../../../src/notebook/index.js";

import { sampled } from "../../scale.js";
import { progressEvent } from "../../scan/progressEvent.js";
import { CHROMIUM, newPage } from "./chromium.js";
import { contrastsOf, MIN_CONTRAST } from "./contrasts.js";
import { provenance, setProvenance } from "./provenance.js";

/** The page around an output, and the CSS color variables of each program's themes. */
const THEMES = {
  "JupyterLab, light": "background:#fff;--jp-content-font-color1:rgba(0,0,0,.87)",
  "JupyterLab, dark": "background:#111;--jp-content-font-color1:rgba(255,255,255,1)",
  "VS Code, light": "background:#fff;--vscode-editor-foreground:#3b3b3b",
  "VS Code, dark": "background:#1f1f1f;--vscode-editor-foreground:#cccccc",
  "classic Jupyter": "background:#fff;color:#000",
};

describe.skipIf(CHROMIUM === undefined)("displays are legible", () => {
  it.each(sampled(Object.entries(THEMES), 2))("in %s, with a dark or light system theme", async (_, style) => {
    const frame = setProvenance(pl.DataFrame({ n: Array.from({ length: 30 }, (_, n) => n || null) }), provenance());
    const event = progressEvent({ rows: 500, maxItems: 1000 });
    const bundles = [displayBundle(frame), progressBundle(event), summaryBundle({ ...event, verdict: "complete" })];
    const html = bundles.map((bundle) => bundle?.["text/html"]).join("");
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await newPage({ colorScheme });
      await page.setContent(`<body style="${style}">${html}</body>`);
      const { texts } = await contrastsOf(page);
      expect(texts.map(([text]) => text)).toEqual(
        expect.arrayContaining(["30 rows × 1 column", "n", "f64", "null", "…", expect.stringContaining("500 rows in")]),
      );
      expect(texts.filter(([, contrast]) => contrast < MIN_CONTRAST)).toEqual([]);
    }
  });
});

describe.skipIf(CHROMIUM === undefined)("in a window of 640 pixels", () => {
  it("a wide chart shrinks to fit, and a wide table scrolls", async () => {
    const columns = Array.from({ length: 12 }, (_, n) => [`column${n}`, [String(n).repeat(18)]]);
    const wide = pl.DataFrame(Object.fromEntries(columns));
    const drawn = await chart(wide, { mark: "bar", width: 900, x: "column0", y: "column1" });
    const page = await newPage({ viewport: { width: 640, height: 600 } });
    const html = [drawn, wide].map((value) => displayBundle(value)?.["text/html"]).join("");
    await page.setContent(`<body style="margin:0">${html}</body>`);
    const right = (selector: string) => `document.querySelector("${selector}").getBoundingClientRect().right`;
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(640);
    expect(Number(await page.evaluate(right("img")))).toBeCloseTo(640, 0);
    expect(Number(await page.evaluate(right(".af-scroll table")))).toBeGreaterThan(640);
  });
});

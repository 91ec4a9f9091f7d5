import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { codebook, codingPage, sampleRows } from "../../../src/coding/index.js";
import { toDataFrame } from "../../../src/index.js";
import { chart, notebookHtml } from "../../../src/notebook.js";
import { temporaryFolder } from "../../files/temporary.js";
import { sampled } from "../../scale.js";
import { progressEvent } from "../../scan/progressEvent.js";
import { displayBundle, progressBundle } from "../bundles.js";
import { CHROMIUM, newPage } from "../display/chromium.js";
import { provenance, setProvenance } from "../display/provenance.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const directory = temporaryFolder();
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

const rows = Array.from({ length: 60 }, (_, at) => ({
  id: `m${at}`,
  begintime: `2024-01-${String((at % 28) + 1).padStart(2, "0")}T10:00:00Z`,
  person: at % 3 === 0 ? null : "Ann",
  text: `The cost of climate change ${"and so on ".repeat(30)}`,
  link: "https://www.example.org/video/?m=1",
}));
const frame = toDataFrame(rows, { operation: "mentions" });

async function report(): Promise<string> {
  const drawn = await chart(frame, { title: "Who", mark: "bar", x: "count()", y: "person", color: "person" });
  const shown = [frame, drawn].map((value) => ({ output_type: "execute_result", data: displayBundle(value) }));
  const printed = ["stdout", "stderr"].map((name) => ({ output_type: "stream", name, text: `${"x".repeat(4000)}\n` }));
  const outputs = [...shown, ...printed, { output_type: "error", ename: "TypeError", evalue: "no", traceback: [] }];
  const markdown = "# Report\n\nText with a [link](https://www.example.org) and `code`.";
  const code = `const frame = "${"long ".repeat(60)}"; // 1\nlet n = 1;`;
  const cells = [
    { cell_type: "markdown", source: markdown },
    { cell_type: "code", source: code, outputs },
  ];
  return notebookHtml({ nbformat: 4, cells } as never);
}

/** The body of a notebook with outputs, by the CSS color variables of each program's themes. */
const THEMES = {
  "JupyterLab, dark": "background:#111;--jp-content-font-color1:rgba(255,255,255,1)",
  "VS Code, dark": "background:#1f1f1f;--vscode-editor-foreground:#cccccc",
  "classic Jupyter": "background:#fff;color:#000",
};

async function outputs(style: string): Promise<string> {
  const event = progressEvent({ rows: 500, maxItems: 1000 });
  const wide = setProvenance(toDataFrame([{ n: null, ...rows[0], long: "x".repeat(50) }]), provenance());
  const drawn = await chart(frame, { mark: "bar", x: "count()", y: "person", width: 900 });
  const bundles = [progressBundle(event), ...[frame, wide, drawn].map((value) => displayBundle(value))];
  const html = bundles.map((bundle) => bundle?.["text/html"]).join("");
  return `<html lang="en"><title>Notebook</title><body style="margin:0;${style}"><main>${html}</main></body></html>`;
}

describe.skipIf(CHROMIUM === undefined)("a page", () => {
  const pages: Readonly<Record<string, () => Promise<string>>> = {
    report,
    "coding page": async () => {
      const book = codebook({ stance: ["support", "oppose"], cost: "yes/no", note: "text" });
      const [path = ""] = [await codingPage(sampleRows(frame, { rows: 10 }), book, `${directory}/coding`)].flat();
      return readFileSync(path, "utf8");
    },
    ...Object.fromEntries(Object.entries(THEMES).map(([name, style]) => [`notebook in ${name}`, () => outputs(style)])),
  };

  const cases = Object.entries(pages).flatMap(([name, html]) =>
    sampled(["dark", "light"] as const).map((scheme) => [name, scheme, html] as const),
  );

  it.each(cases)("%s passes WCAG 2.1 AA in %s, and is no wider than its window", async (_name, colorScheme, html) => {
    const page = await newPage({ colorScheme, viewport: { width: 600, height: 800 }, bypassCSP: true });
    await page.setContent(await html());
    await page.evaluate(axe);
    const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 150) + " " + failureSummary.slice(0, 250))))`;
    expect(await page.evaluate(run)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(600);
  });
});

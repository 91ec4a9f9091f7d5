import fc from "fast-check";
import { expect, it } from "vitest";
import { pl } from "../../../src/index.js";
import { type Notebook, notebookHtml } from "../../../src/notebook.js";
import { displayBundle } from "../bundles.js";
import { CHROMIUM, newPage } from "../display/chromium.js";
import { hostileText, PAYLOADS } from "../display/payloads.js";
import { markdownHtml } from "./markdownHtml.js";

const own = String(displayBundle(pl.DataFrame({ a: [1] }))?.["text/html"]);
const LINKS = (
  "[x](javascript:window.hacked=1)¦[x](JAVASCRIPT&colon;window.hacked=1)¦[x](java\nscript:window.hacked=1)¦" +
  "[x](data:text/html,<script>window.hacked=1</script>)¦[x](vbscript:x)¦[x](file:///etc/passwd)¦[x](//evil.example)¦" +
  '<javascript:window.hacked=1>¦[x](https://a.example/"onmouseover="window.hacked=1)¦' +
  '[x](https://a.example "t\\" onmouseover=\\"window.hacked=1")¦![x](https://evil.example/x.png)¦' +
  '![x](data:image/svg+xml,<svg onload=window.hacked=1>)¦![x" onerror="window.hacked=1](data:image/png;base64,AAAA)¦' +
  '![x](attachment:constructor)¦```html"><script>window.hacked=1</script>\nx\n```¦' +
  "| <script>window.hacked=1</script> |\n|---|\n| <img src=x onerror=window.hacked=1> |¦" +
  "<details open ontoggle=window.hacked=1>x</details>¦<!-- a --> <script>window.hacked=1</script> -->"
).split("¦");

/** A notebook with hostile text in every place. */
function hostileNotebook(text: string): Notebook {
  const bundle = (data: object) => ({ output_type: "display_data" as const, data });
  return {
    nbformat: 4,
    metadata: { language_info: { name: text } },
    cells: [
      { cell_type: "markdown", source: text, attachments: { [text]: { "image/png": text } } },
      { cell_type: "markdown", source: `# ${text}\n\n- ${text}\n\n\`${text}\`` },
      { cell_type: "markdown", source: `[${text}](${text} "${text}") ![${text}](${text})` },
      {
        cell_type: "code",
        source: text,
        metadata: { tags: [text] },
        outputs: [
          bundle({ "text/html": text, "text/plain": text }),
          bundle({ "text/html": `<div class="archive-frames">${text}</div>`, "text/plain": text }),
          bundle({ "text/html": own.replace("<tbody>", `<tbody>${text}`), "text/plain": text }),
          bundle({ "image/png": text, "text/plain": text }),
          bundle({ "image/svg+xml": text, "text/plain": text }),
          bundle({ "text/markdown": text }),
          { output_type: "stream", name: text, text },
          { output_type: "error", ename: text, evalue: text, traceback: [text] },
        ],
      },
    ],
  };
}

const ELEMENTS =
  "a b blockquote br code del div em figure h1 h2 h3 h4 h5 h6 hr i img li ol p pre small span strong table tbody td th thead tr ul";
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries("id rel target title alt align start class".split(" ").map((name) => [name, /^/])),
  tabindex: /^0$/,
  href: /^(?:https?:|mailto:|#)/,
  src: /^data:image\/(?:png|svg\+xml);base64,/,
};

it.skipIf(CHROMIUM === undefined)(
  "a hostile notebook creates no elements in a browser but those of a report",
  async () => {
    const texts = [...PAYLOADS, ...LINKS, ...fc.sample(hostileText, { numRuns: 25, seed: 7 })];
    // Without the page's content security policy, which would hide a successful injection.
    const mains = texts.map((text) => /<main>.*<\/main>/s.exec(notebookHtml(hostileNotebook(text)))?.[0] ?? "");
    const page = await newPage();
    await page.setContent(`<!DOCTYPE html><meta charset="utf-8">${mains.join("")}`);
    // Until payloads have had a chance to act: their images have failed.
    await page.waitForTimeout(200);
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    const outside = await page
      .locator("html > *, head > *, body > *")
      .evaluateAll((all) => all.map((each) => each.localName));
    expect(outside).toEqual(["head", "meta", "body", ...texts.map(() => "main")]);
    const pieces = await page.locator("main").evaluateAll((all) =>
      all.map((main) =>
        [...main.querySelectorAll("*")].map(({ localName, attributes }) => ({
          tag: localName,
          attributes: [...attributes].map(({ name, value }) => [name, value] as const),
        })),
      ),
    );
    expect(pieces).toHaveLength(texts.length);
    pieces.forEach((elements, at) => {
      for (const { tag, attributes } of elements) {
        expect(ELEMENTS.split(" "), texts[at]).toContain(tag);
        for (const [name, value] of attributes) expect(value, name).toMatch(ATTRIBUTES[name] ?? /never^/);
      }
    });
  },
);

it("Markdown keeps only links to http, https, mailto and anchors", () => {
  const links = (text: string) => [...markdownHtml(text).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  const allowed = ["https://a.example/?x=1&amp;y=2", "http://b.example", "mailto:a@b.example", "#there"];
  expect(links(allowed.map((href) => `[a](${href.replace("&amp;", "&")})`).join(" "))).toEqual(allowed);
  const without = LINKS.filter((text) => !text.includes("https://a.example"));
  expect(without.flatMap(links)).toEqual([]);
  expect(markdownHtml("[*x*](javascript:alert(1)) ![y](https://evil.example/y.png)")).toBe("<p><em>x</em> [y]</p>");
  expect(markdownHtml("a <kbd>b</kbd><br>c")).toBe("<p>a &lt;kbd&gt;b&lt;/kbd&gt;<br>c</p>");
});

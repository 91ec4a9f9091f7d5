import { describe, expect, it } from "vitest";
import { toDataFrame, ValidationError } from "../../../src/index.js";
import { chart, type Notebook, notebookHtml } from "../../../src/notebook.js";
import { progressEvent } from "../../scan/progressEvent.js";
import { displayBundle, progressBundle, summaryBundle } from "../bundles.js";
import { provenance, setProvenance } from "../display/provenance.js";
import { mainIn, mainOf, notebook } from "./markdownHtml.js";

type NotebookCell = Notebook["cells"][number];

const markdown = (source: string, more: object = {}): NotebookCell => ({ cell_type: "markdown", source, ...more });
const code = (source: string, outputs: object[] = [], tags: string[] = []): NotebookCell =>
  ({ cell_type: "code", source, outputs, metadata: { tags } }) as NotebookCell;
const result = (data: object | undefined) => ({ output_type: "execute_result", data });

describe("a report", () => {
  it("is one page that loads and runs nothing, the same each time", () => {
    const page = () => notebookHtml(notebook(markdown("# One\n\ntext")));
    expect(page()).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
    expect(page()).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
    expect(page()).not.toMatch(/<script|<link|https?:|url\(|@import/);
    expect(page()).toBe(page());
  });

  it("uses the given title, or the first heading", () => {
    const title = (cells: NotebookCell[], options?: object) =>
      /<title>(.*)<\/title>/.exec(notebookHtml(notebook(...cells), options))?.[1];
    const headings = markdown("intro\n\n## *Who* said `it` & <b>when</b>\n\n# Later");
    const cells = [markdown("text"), code("# no heading"), headings];
    expect(title(cells)).toBe("Who said it &amp; &lt;b&gt;when&lt;/b&gt;");
    expect(title(cells, { title: "Mine <x>" })).toBe("Mine &lt;x&gt;");
    expect(title([])).toBe("Notebook");
    // Instead of the title of the notebook, not of a heading further down.
    const titled = (...some: NotebookCell[]) =>
      mainIn(notebookHtml(notebook(...some), { title: "Mine", date: "May <1>" }));
    const top = '<h1>Mine</h1>\n<p class="date">May &lt;1&gt;</p>\n<p>text</p>';
    expect(titled(markdown("# Old\n\ntext"))).toBe(top);
    expect(titled(...cells)).toMatch(/<h1>Mine<.*<p>text<.*<h1 id="Later">/s);
  });

  it("shows, collapses or hides code", () => {
    const cells = [code("let a = 1;", [result({ "text/plain": "1" })])];
    const main = (options?: object) => mainIn(notebookHtml(notebook(...cells), options));
    const block = '<div class="code"><pre tabindex="0"><code>let a = 1;</code></pre></div>';
    const output = '<pre tabindex="0" class="output result">1</pre>';
    expect(main()).toBe(`${block}\n${output}`);
    expect(main({ code: "collapsed" })).toBe(`<details><summary>Code</summary>${block}</details>\n${output}`);
    expect(main({ code: "hidden" })).toBe(output);
    expect(() => main({ code: "hiden" })).toThrow('Did you mean "hidden"');
  });

  it("lists the sources of its tables and charts in the footer, each once", async () => {
    const frame = setProvenance(toDataFrame([{ n: 1 }]), provenance());
    const table = code("frame", [result(displayBundle(frame))]);
    const derived = code("frame", [result(displayBundle(frame.groupBy("n").len()))]);
    const [, footer = ""] = notebookHtml(notebook(table, table, derived)).split("</main>");
    expect(footer.match(/<li>.*/g)).toEqual([
      expect.stringMatching(/^<li>mentions, query &quot;climate&quot; · 500 rows, .* · SHA-256 \w+</),
    ]);
    const drawn = await chart(frame, { mark: "bar", x: "n" });
    const [, both] = notebookHtml(notebook(table, code("chart", [result(displayBundle(drawn))]))).split("</main>");
    expect(both).toBe(footer);
    expect(notebookHtml(notebook(code("1")))).not.toContain("<footer>");
  });

  it("renders Markdown", () => {
    const text = "# A\n\n*b* ~~d~~ `e<f`\n\n1. x\n2. y\n\n- [x] done\n\n---\n\n| a |\n|--:|\n| 1 |";
    expect(mainOf(markdown(text)).replaceAll("\n", "")).toBe(
      '<h1 id="A">A</h1><p><em>b</em> <del>d</del> <code>e&lt;f</code></p>' +
        "<ol><li>x</li><li>y</li></ol><ul><li>☑ done</li></ul><hr>" +
        '<table><thead><tr><th align="right">a</th></tr></thead><tbody><tr><td align="right">1</td></tr></tbody></table>',
    );
  });

  it("contains frames as tables, but no progress bars, which differ from run to run", () => {
    const frame = displayBundle(toDataFrame([{ name: "Ann <b>", n: 5 }]));
    const html = mainOf(code("frame", [result(frame)]));
    expect(html).toContain(
      '<div class="output"><div class="archive-frames"><div class="af-shape"><b>1 row × 2 columns',
    );
    expect(html).toContain("<td>Ann &lt;b&gt;</td>");
    expect(html).not.toMatch(/<style>|<pre class/);
    const event = progressEvent({ waiting: 1.5 });
    const ended = result(summaryBundle({ ...event, maxItems: 9, verdict: "complete" }));
    expect(mainOf(code("frame", [result(frame), result(progressBundle(event)), ended]))).toBe(html);
    const said = (text: unknown, name = "stdout") => ({ output_type: "stream", name, text });
    const split = [said(["a\n"]), ended, said("b\n"), ended, said("c\n", "stderr")];
    expect(mainOf(code("frame", split))).toBe(mainOf(code("frame", [said("a\nb\n"), said("c\n", "stderr")])));
  });

  it("embeds charts and pictures", async () => {
    const made = await chart(toDataFrame([{ a: 1 }]), { title: "T", mark: "bar", encoding: { x: { field: "a" } } });
    const base64 = Buffer.from(made.svg).toString("base64");
    expect(mainOf(code("", [result(displayBundle(made))]))).toBe(
      `<div class="output"><div class="archive-frames"><img src="data:image/svg+xml;base64,${base64}" alt="T · bar · 1 row"></div></div>`,
    );
    const base64Png = "iVBORw0KGgo=";
    const png = { "image/png": ["iVBORw0K\n", "Ggo=\n"], "text/plain": "<Figure>" };
    const image = (alt: string) => `<img src="data:image/png;base64,${base64Png}" alt="${alt}">`;
    expect(mainOf(code("", [result(png)]))).toBe(`<figure class="output">${image("&lt;Figure&gt;")}</figure>`);
    const attachments = { "a b.png": { "image/png": base64Png } };
    expect(mainOf(markdown("![pic](attachment:a%20b.png)", { attachments }))).toBe(`<p>${image("pic")}</p>`);
  });

  it("contains output and errors, without terminal colors, and the last state of a line that was written over", () => {
    const error = { output_type: "error", ename: "E", evalue: "no <x>" };
    const outputs = [
      { output_type: "stream", name: "stderr", text: ["a <b>\n", "\u001b[1mc\u001b[0m\n"] },
      { output_type: "stream", name: "stdout", text: "10 %\r50 %\r100 %\r\ndone\r\n\rend\r" },
      { ...error, traceback: ["\u001b[31mE\u001b[0m: no <x>", "    at cell 2:1"] },
      { ...error, traceback: [] },
      result({ "text/plain": ["1\n", "2"] }),
      result({ "text/markdown": "*m*", "text/plain": "m" }),
    ];
    const block = (kind: string, text: string) => `<pre tabindex="0" class="output ${kind}">${text}</pre>`;
    const shown = [
      block("stderr", "a &lt;b&gt;\nc"),
      block("stdout", "100 %\ndone\nend"),
      block("error", "E: no &lt;x&gt;\n    at cell 2:1"),
      block("error", "E: no &lt;x&gt;"),
      block("result", "1\n2"),
    ];
    expect(mainOf(code("", outputs))).toBe([...shown, '<div class="output"><p><em>m</em></p>\n</div>'].join("\n"));
  });

  it("links to its headings as Jupyter does, and to the first of several with one name", () => {
    const sources = ['[down](#Two-*years*,-"so")', '# Two *years*, "so"', '# Two years, "so"'];
    const cells = sources.map((source) => markdown(source));
    expect(mainOf(...cells)).toMatch(
      /href="#.*\n<h1 id="Two-years,-&quot;so&quot;">Two <em>years<\/em>, &quot;so&quot;<\/h1>\n<h1>Two years/,
    );
  });

  it("obeys the tags of cells", () => {
    const out = [{ output_type: "stream", name: "stdout", text: "out" }];
    const outBlock = '<pre tabindex="0" class="output stdout">out</pre>';
    const inBlock = '<div class="code"><pre tabindex="0"><code>one</code></pre></div>';
    expect(mainOf(code("one", out, ["remove-cell"]))).toBe("");
    for (const tag of ["hide-input", "remove-input"]) expect(mainOf(code("one", out, [tag]))).toBe(outBlock);
    for (const tag of ["hide-output", "remove-output"]) expect(mainOf(code("one", out, [tag]))).toBe(inBlock);
    expect(mainOf({ cell_type: "raw", source: "raw" })).toBe("");
  });

  it("rejects anything but a notebook of format 4, and unknown options", () => {
    for (const value of [undefined, "{}", { cells: [] }, { nbformat: 3, cells: [] }, { nbformat: 4 }])
      expect(() => notebookHtml(value as unknown as Notebook)).toThrow(ValidationError);
    expect(() => notebookHtml(notebook(), { titel: "x" } as object)).toThrow("Did you mean title?");
  });
});

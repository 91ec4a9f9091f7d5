import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError } from "../../../src/index.js";
import { notebookHtml } from "../../../src/notebook/index.js";
import { readNotebook } from "../../../src/notebook/notebookFormat.js";
import { temporaryFolder } from "../../files/temporary.js";
import { markdownHtml } from "./markdownHtml.js";

const root = temporaryFolder();
const NOTE = "This text is too long";
const PIXEL = `data:image/png;base64,${"A".repeat(4000)}`;

/** The text visible to a reader. */
const seen = (html: string) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<");

describe("Markdown beyond the limits", () => {
  it.each([
    ["quotes", ">".repeat(10_000)],
    ["lists", `${"- ".repeat(10_000)}a`],
    ["quotes and lists", "> - ".repeat(5000)],
    ["emphasis", "_*a".repeat(5000)],
    ["a paragraph of many lines", "<a\n".repeat(3000)],
    ["a text of many lines", "a\n\n".repeat(20_000)],
  ])("of %s stays plain text, with a note", (_what, text) => {
    const html = markdownHtml(`# A heading\n\n${text}`);
    expect(html).toContain(NOTE);
    expect(seen(html)).toContain(text.slice(-20).trim().slice(0, 5));
  });

  it("never breaks a report", () => {
    const piece = fc.constantFrom(
      ...">¦- ¦1. ¦*¦_¦`¦[a](¦![x](attachment:%)¦<¦|¦\n¦    ¦#¦a¦%¦]: ¦~~~¦\u2028¦(af-picture:0)".split("¦"),
    );
    const text = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 400 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, (pieces) => {
        const source = pieces.map(([unit, times]) => unit.repeat(times)).join("");
        expect(notebookHtml({ nbformat: 4, cells: [{ cell_type: "markdown", source }] })).toContain("</html>");
      }),
      { numRuns: 200 },
    );
  });

  it("an attachment name with invalid percent-encoding is used unchanged", () => {
    expect(markdownHtml("![x](attachment:%)")).toContain("[x]");
    expect(markdownHtml("![x](attachment:50%)", { "50%": { "image/png": "AAAA" } })).toContain(
      "data:image/png;base64,AAAA",
    );
    expect(markdownHtml("![x](attachment:a%20b)", { "a b": { "image/png": "AAAA" } })).toContain("base64,AAAA");
  });

  it("an image of any size is shown, and stays intact in code", () => {
    expect(markdownHtml(`![x](${PIXEL})`)).toBe(`<p><img src="${PIXEL}" alt="x"></p>`);
    expect(markdownHtml(`\`![x](${PIXEL})\``)).toContain(`![x](${PIXEL})`);
    expect(markdownHtml(`~~~\n![x](${PIXEL})\n~~~`)).toContain(`![x](${PIXEL})`);
    expect(markdownHtml("![x](af-picture:0)")).toContain("[x]");
  });
});

it("a long text is formatted as a short one", () => {
  const paragraph = "A sentence with `code`, *emphasis* and a [link](https://example.org).\n".repeat(5);
  const html = markdownHtml(
    [
      ...Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\n${paragraph}`),
      "```ts\nconst b = 2;\n```\n\n[later][there]\n\n[there]: https://example.org/there",
    ].join("\n\n"),
  );
  expect(html).not.toContain(NOTE);
  expect(html.match(/<h2 id="Part-\d+">/g)).toHaveLength(60);
  expect(html.match(/<em>emphasis<\/em>/g)).toHaveLength(300);
  expect(html).toContain('<span class="keyword">const</span> b = <span class="number">2</span>;</code></pre>');
  expect(html).toContain('<a href="https://example.org/there"');
});

describe("a received notebook", () => {
  const whole = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] as unknown[] };
  const ofOneCell = (cell: object) => ({ ...whole, cells: [{ cell_type: "code", source: "", ...cell }] });
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
  it.each<[string, object]>([
    ["nested beyond reason", { ...whole, metadata: { deep } }],
    ["nested beyond reason in an output", ofOneCell({ outputs: [{ data: { deep } }] })],
    ["of too many cells", { ...whole, cells: new Array(10_001).fill({ cell_type: "raw", source: "" }) }],
    ["of too many outputs", ofOneCell({ outputs: new Array(100_001).fill({}) })],
    ["with a cell that no kernel would take", ofOneCell({ source: "a".repeat(15_000_001) })],
    ["with an id that is none", ofOneCell({ id: 1 })],
    ["with a count that is none", ofOneCell({ execution_count: {} })],
    ["with a minor format that is none", { ...whole, nbformat_minor: {} }],
    ["with a picture that is none", ofOneCell({ cell_type: "markdown", attachments: { a: 1 } })],
  ])("%s is refused", (_what, notebook) => {
    const path = join(root, "a.ipynb");
    writeFileSync(path, stringified(notebook));
    expect(() => readNotebook(path)).toThrow(ArchiveError);
    expect(() => notebookHtml(notebook as never)).toThrow(ArchiveError);
  });

  /** `JSON.stringify` itself has a depth limit. */
  function stringified(notebook: object): string {
    const text = JSON.stringify(notebook, (_name, value) => (value === deep ? "DEEP" : value));
    return text.replace('"DEEP"', `${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  }
});

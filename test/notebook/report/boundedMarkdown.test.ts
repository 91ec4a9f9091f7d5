import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError } from "../../../src/index.js";
import { notebookHtml } from "../../../src/notebook.js";
import { temporaryFolder } from "../../files/temporary.js";
import { readNotebook } from "../notebookFiles.js";
import { markdownHtml } from "./markdownHtml.js";

const root = temporaryFolder();

it.each([
  ["quotes", ">".repeat(10_000)],
  ["lists and quotes", "> - ".repeat(5000)],
  ["emphasis", "_*a".repeat(5000)],
])("Markdown of too many %s stays plain text, with a note", (_what, text) => {
  expect(markdownHtml(`# A heading\n\n${text}`)).toMatch(/^<pre># A heading.*This text is too long/s);
});

it("Markdown never breaks a report", () => {
  const piece = fc.constantFrom(
    ...">¦- ¦1. ¦*¦_¦`¦[a](¦![x](attachment:%)¦<¦|¦\n¦    ¦#¦a¦%¦]: ¦~~~¦\u2028".split("¦"),
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

describe("a received notebook", () => {
  const ofOneCell = (cell: object) => ({ nbformat: 4, cells: [{ cell_type: "code", source: "", ...cell }] });
  const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as unknown;
  it.each<[string, object]>([
    ["nested beyond reason", ofOneCell({ outputs: [{ data: { deep: nested(2000) } }] })],
    ["with an id that is none", ofOneCell({ id: 1 })],
    ["with a picture that is none", ofOneCell({ cell_type: "markdown", attachments: { a: 1 } })],
  ])("%s is refused", (_what, notebook) => {
    const path = join(root, "a.ipynb");
    writeFileSync(path, JSON.stringify(notebook));
    expect(() => readNotebook(path)).toThrow(ArchiveError);
    expect(() => notebookHtml(notebook as never)).toThrow(ArchiveError);
  });

  it("of an earlier minor format gets what it lacks", () => {
    const path = join(root, "b.ipynb");
    writeFileSync(path, JSON.stringify({ ...ofOneCell({}), nbformat_minor: 2 }));
    const cell = { cell_type: "code", source: "", id: "cell-1", metadata: {} };
    expect(readNotebook(path)).toEqual({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
  });
});

import { cellFailure, stackFrames, withoutKernelFrames } from "../../../src/kernel/cells/cellFailure.js";
import { CellPositions } from "../../../src/kernel/cells/cellPositions.js";
import { errorHints } from "../../../src/kernel/cells/errorHints.js";

import { CellOutputs } from "../../../src/kernel/headless/notebookRun.js";
import { parseParameter, withParameters } from "../../../src/kernel/headless/parameters.js";
import { Wire } from "../../../src/kernel/protocol/wire.js";
import { toCharacters, toUnits } from "../../../src/kernel/shellReply.js";
import { checkSpec } from "../../../src/notebook/charts/chartSpec.js";
import { escapeHtml, printable, printableLines } from "../../../src/notebook/display/displayText.js";
import { gridHtml } from "../../../src/notebook/display/gridHtml.js";
import { gridText } from "../../../src/notebook/display/gridText.js";
import { codeHtml, firstHeading, markdownHtml } from "../../../src/notebook/report/markdownHtml.js";

import { notebookHtml, outputHtml } from "../../../src/notebook/report/notebookHtml.js";

import { imageUri, ownDisplayHtml } from "../../../src/notebook/report/safeHtml.js";
import { hostileTexts } from "./hostileTexts.js";
import type { Loop } from "./loop.js";

/** Markdown that makes a parser backtrack. */
const MARKDOWN = [
  ">",
  "> ",
  "- ",
  "- > ",
  "1. ",
  "- a\n",
  "- a\n\n",
  "  - a\n",
  "> a\n",
  "> a\na\n",
  "a\n",
  "a\n\n",
  "a  \n",
  "    a\n",
  "# a\n",
  "a\n=\n",
  "a|b\n-|-\n",
  "|",
  "`a ",
  "``a ",
  "*a ",
  "**a ",
  "_*a",
  "a_",
  "*_",
  "~~a",
  "[a](",
  "[a](<b",
  '[a](b "',
  "[a][b]",
  "[a]: b\n",
  "![",
  "![x](attachment:%)",
  "<a@",
  "a@a.",
  "www.a",
  "http://a",
  "<http://",
  "<a b=c ",
  "<!-- -",
  "<?",
  "<![CDATA[",
  "```\n",
  "~~~\n```\n",
  "- ```\n",
  "&#",
  "(data:image/png;base64,",
  "(af-picture:0)",
];
/** Prefixes that change the meaning of the rest. */
const BEFORE = ["", "- a\n", "> ", "a|b\n-|-\n", "<div>\n", "a\n\n\u2028", "```"];

/** Parts of code that is highlighted. */
const CODE = ["/*", "*/*", "/**/", "//", '"', '\\"', '"\\', "`", "\\`", "'a", "as ", "a.as", "/* '", "${`"];

/** Parts of a stack trace. */
const STACK = [
  "\n    at ",
  "\n    at f (notebook-cell-1:1:1)",
  "notebook-cell-1:1",
  "notebook-cell-1",
  "\n    at /a/node_modules/b.js:1:1",
  "/node_modules",
  "/a",
  "file://",
  "\n    at Proxy.",
  "\n ",
];

const repeatedWith =
  (units: readonly string[], before: readonly string[] = [""]) =>
  (size: number): string[] =>
    units.flatMap((unit) =>
      before.flatMap((start) =>
        ["", "\n\na"].map((end) => `${start}${unit.repeat(Math.floor(size / unit.length))}${end}`),
      ),
    );

const positions = new CellPositions();
const MAP = JSON.stringify({ version: 3, sources: ["a"], names: [], mappings: "AAAA;AACA;AACA" });
positions.add(1, { cell: 1, code: "throw 1", maps: { fromCommonJs: MAP, fromTypeScript: MAP } });

const notebook = (cell: object) => ({ nbformat: 4, cells: [cell as never], metadata: {} });
const error = (text: string) => Object.assign(new Error(text), { stack: `Error: ${text}\n    at ${text}` });
const wire = new Wire({ key: "key", signature_scheme: "hmac-sha256" });

export const notebookLoops: readonly Loop[] = [
  { name: "markdownHtml", texts: repeatedWith(MARKDOWN, BEFORE), run: (text) => markdownHtml(text) },
  { name: "markdownHtml of any text", run: (text) => markdownHtml(text) },
  { name: "markdownHtml of many cells", texts: repeatedWith(MARKDOWN), size: 20_000, run: markdownCells },
  { name: "firstHeading", texts: repeatedWith(MARKDOWN), run: firstHeading },
  {
    name: "codeHtml",
    regexesOf: ["notebook/report/markdownHtml.ts"],
    texts: (size) => [...repeatedWith(CODE)(size), ...hostileTexts(size)],
    run: (text) => codeHtml(text, "typescript"),
  },
  {
    name: "ownDisplayHtml",
    regexesOf: ["notebook/report/safeHtml.ts"],
    texts: (size) =>
      ["<div>", "<td ", '<td class="', '<td class="af-a ', "af-a ", "<", ">", "</div>", "<style>", '="'].flatMap(
        (unit) => [
          `<div class="archive-frames">${unit.repeat(Math.floor(size / unit.length))}`,
          `<div class="archive-frames"><td class="${unit.repeat(Math.floor(size / unit.length))}!">`,
        ],
      ),
    run: ownDisplayHtml,
  },
  { name: "imageUri", run: (text) => imageUri({ "image/png": text }) },
  {
    name: "outputHtml",
    run: (text) => [
      outputHtml({ output_type: "stream", text }),
      outputHtml({ output_type: "error", ename: text, evalue: text, traceback: [text] }),
      outputHtml({
        output_type: "display_data",
        data: { "text/html": text, "text/plain": text, "image/svg+xml": text },
      }),
    ],
  },
  { name: "notebookHtml", run: (text) => notebookHtml(notebook({ cell_type: "code", source: text })) },
  { name: "visible", run: (text) => [printable(text), printableLines(text), escapeHtml(text)] },
  {
    name: "a table of text",
    run(text) {
      const column = { name: text, dtype: text, numeric: false, cells: [{ text, full: text }] };
      const grid = { shape: "", columns: [column], rows: 1, rowGap: undefined, columnGap: undefined };
      return [gridText(grid, text, { columns: 9, width: 1000 }), gridHtml(grid, text, { width: 1000, title: 2000 })];
    },
  },
  {
    name: "an error of a cell",
    regexesOf: ["kernel/cells/cellPositions.ts"],
    texts: (size) => [...repeatedWith(STACK)(size), ...hostileTexts(size)],
    run: (text) => cellFailure(error(text), 0, positions),
  },
  {
    name: "errorHints",
    regexesOf: ["kernel/cells/errorHints.ts"],
    run: (text) => errorHints([text, `unable to find column "a"; valid columns: [${text}`]),
  },
  {
    name: "stackFrames",
    texts: repeatedWith(STACK),
    run: (text) => [stackFrames(text, false), withoutKernelFrames(text)],
  },
  {
    name: "parameters",
    run: (text) => [
      parseParameter(`a=${text}`),
      withParameters(
        {
          cells: [{ cell_type: "code", metadata: { tags: ["parameters"] }, source: `let a = 1; ${text}` }],
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        },
        { a: text },
      ),
    ],
  },
  { name: "textPositions", run: (text) => [toUnits(text, text.length), toCharacters(text, text.length)] },
  {
    name: "streams of a kernel",
    run(text) {
      const [outputs, taken]: [never[], CellOutputs] = [[], new CellOutputs()];
      const header = { msg_type: "stream" } as never;
      for (let at = 0; at < text.length; at += 1000) {
        const content = { name: "stdout", text: text.slice(at, at + 1000) };
        taken.add(outputs, { header, content, parent: {}, metadata: {}, identities: [] });
      }
    },
  },
  { name: "a message", run: (text) => wire.decode(Array.from(text, (one) => Buffer.from(one))) },
  { name: "checkSpec", run: (text) => checkSpec({ mark: text, encoding: { x: { field: text } } }, [text]) },
];

/** A notebook with cells of a thousand characters: the per-cell time limits must not add up. */
function markdownCells(text: string): void {
  const cells = Array.from({ length: Math.ceil(text.length / 1000) }, (_, at) => ({
    cell_type: "markdown" as const,
    source: text.slice(at * 1000, at * 1000 + 1000),
  }));
  notebookHtml({ nbformat: 4, cells });
}

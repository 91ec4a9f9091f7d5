import { codeRules } from "../../../src/coding/codeRules.js";
import { luceneMatcher, words as searchWords } from "../../../src/embedded/lucene.js";
import { xmlText } from "../../../src/files/writers/xlsx.js";
import { exprNode } from "../../../src/frames/polarsPlan.js";
import { pl, toCsv, toDataFrame, toRecords } from "../../../src/index.js";
import { cellFailure } from "../../../src/kernel/cells/cellFailure.js";
import { CellPositions } from "../../../src/kernel/cells/cellPositions.js";
import { nameWords, personName, titleChambers } from "../../../src/members/names.js";
import { notebookHtml } from "../../../src/notebook.js";
import { parseRetryAfter } from "../../../src/service/http/failedResponse.js";
import { readBillId, readTitle, UNSEARCHABLE } from "../../../src/speeches/bills.js";
import { titlePatterns } from "../../../src/speeches/judge/titlePattern.js";
import { captionReader, judgeSpeeches } from "../../../src/speeches/judgeSpeeches.js";
import { repairTitle } from "../../../src/speeches/repairTitle.js";
import { isCovered } from "../../../src/speeches/searchReader.js";
import { Captions, spokenText } from "../../../src/text/read/captions.js";
import { compilePatterns } from "../../../src/text/read/pattern.js";
import { spokenTokens } from "../../../src/text/read/tokens.js";
import { Secret } from "../../canaryWatch.js";
import { parseExact, stringifyExact } from "../../frames/expectedColumns.js";
import { FrameBuilder, scanPage } from "../../frames/pages.js";
import { LONG } from "../../scale.js";
import { operations } from "../../service/operations.js";
import { hostileBodies, hostileTexts, repeated } from "./hostileTexts.js";

/** Code that processes text from the service or a received file. */
export interface Loop {
  /** Processes the text. It may throw; promises are not awaited. */
  readonly run: (text: string) => unknown;
  /** Texts of about this size, besides those that are hostile to all. */
  readonly texts?: (size: number) => readonly string[];
  /** Maximum characters of a text, if lower than for other loops. */
  readonly size?: number;
}

/** Texts that repeat the parts of a list, which `¦` separates, after each beginning. */
const parts =
  (list: string, before: readonly string[] = [""]) =>
  (size: number): string[] =>
    list
      .split("¦")
      .flatMap((unit) => before.flatMap((start) => ["", "\n\na"].map((end) => start + repeated(unit, size) + end)));

/** Markdown that makes a parser backtrack, and beginnings that change the meaning of the rest. */
const MARKDOWN =
  ">¦> ¦- ¦- > ¦1. ¦- a\n¦- a\n\n¦  - a\n¦> a\n¦> a\na\n¦a\n¦a\n\n¦a  \n¦    a\n¦# a\n¦a\n=\n¦a|b\n-|-\n¦|¦`a ¦``a ¦*a ¦**a ¦_*a¦a_¦*_¦~~a¦" +
  '[a](¦[a](<b¦[a](b "¦[a][b]¦[a]: b\n¦![¦![x](attachment:%)¦<a@¦a@a.¦www.a¦http://a¦<http://¦<a b=c ¦<!-- -¦<?¦<![CDATA[¦```\n¦' +
  "~~~\n```\n¦- ```\n¦&#¦(data:image/png;base64,¦(af-picture:0)";
const BEFORE = ["", "- a\n", "> ", "a|b\n-|-\n", "<div>\n", "a\n\n\u2028", "```"];
const CODE = "/*¦*/*¦/**/¦//¦\\\"¦\"\\¦\\`¦'a¦as ¦a.as¦/* '¦${`";
const DISPLAY = '<div>¦<td ¦<td class="¦<td class="af-a ¦af-a ¦</div>¦<style>¦="';
const STACK =
  "\n    at ¦\n    at f (notebook-cell-1:1:1)¦notebook-cell-1:1¦notebook-cell-1¦\n    at /a/node_modules/b.js:1:1¦/node_modules¦" +
  "/a¦file://¦\n    at Proxy.¦\n ";

/** A received notebook with the text in cells of each kind; the time limits of its cells must not add up. */
function report(text: string): void {
  const outputs = [
    { output_type: "stream", text },
    { output_type: "error", ename: text, evalue: text, traceback: [text] },
    { output_type: "display_data", data: { "text/html": text, "text/plain": text, "image/svg+xml": text } },
    { output_type: "display_data", data: { "text/html": `<div class="archive-frames">${text}`, "image/png": text } },
    { output_type: "display_data", data: { "text/html": `<div class="archive-frames"><td class="${text}!">` } },
  ];
  const count = Math.min(20, text.length / 1000);
  const pieces = Array.from({ length: count }, (_, at) => text.slice(at * 1000, at * 1000 + 1000));
  const markdown = [text, ...pieces].map((source) => ({ cell_type: "markdown", source }));
  notebookHtml({ nbformat: 4, cells: [{ cell_type: "code", source: text, outputs }, ...markdown] as never });
}

/** Reads a body as one page, as the client does. */
function readBody(text: string): void {
  const builder = new FrameBuilder(operations.mentions.columns);
  builder.add(scanPage(Buffer.from(text), "mentions", builder.schema));
  builder.take();
}

const key = new Secret('k3y-"/\\with=odd&signs');
const almostKeys = parts('k3y-¦k3y-"¦k3y-\\"¦k3y-%22¦k3y-\\\\\\"¦%6b', ["", '{"a":"']);
const patterns = compilePatterns(["climate change", "H.R. 1", "a* a*", "1,000", /\btax(?:es)?\b/i]);
const SPEECH = { videotype: "Speech", variants: [], lastSearch: 0 };
const NO_BILL = {
  kinds: ["hr", "s"],
  number: "5",
  congress: 117,
  shortTitles: [],
} as const;
const positions = new CellPositions();
const MAP = Buffer.from(JSON.stringify({ version: 3, sources: ["a"], names: [], mappings: "AAAA;AACA;AACA" }));
const MAP_LINE = `\n//# sourceMappingURL=data:application/json;base64,${MAP.toString("base64")}`;
positions.add(1, 1, "throw 1", `throw 1${MAP_LINE}${MAP_LINE}`);

export const LOOPS: Readonly<Record<string, Loop>> = {
  "the key in a text": { texts: almostKeys, run: (text) => [key.redact(text), key.redactBody(Buffer.from(text))] },
  "Retry-After": { run: (text) => parseRetryAfter(text, 0) },
  "an unknown option": { run: (text) => toCsv([{ a: 1 }], { [text]: 1 } as never) },
  "a program query": {
    texts: parts('date:¦date:[¦date:(¦date:([¦date:{ ¦date ¦date\t:\n¦date:"¦date:[ TO¦date:(x [y] ¦"\\'),
    run: (text) => operations.programsSearch.parameters.query.check("query", text),
  },
  "a body": { texts: hostileBodies, run: readBody },
  "exact JSON": {
    texts: (size) => [
      ...hostileBodies(size),
      ...parts("9¦1234567890123456,¦-¦0¦1e¦1.¦-9¦9 ¦9999999999999999 ", ["", "["])(size),
      ...hostileTexts(size).map((text) => JSON.stringify([text, 2 ** 60])),
    ],
    run: (text) => [text.toWellFormed(), stringifyExact({ [text]: [text, 2n ** 70n] }), parseExact(text)],
  },
  "toDataFrame and toRecords": {
    texts: hostileBodies,
    run: (text) => toRecords(toDataFrame((JSON.parse(text) as { mentions: object[] }).mentions)),
  },
  "an expression with a text": {
    size: LONG ? 100_000 : 24_000,
    run: (text) => {
      const expr = pl.col("text").eq(pl.lit(text));
      return exprNode(expr);
    },
  },
  CSV: { run: (text) => toCsv([{ [text]: text, [`${text}=`]: 1 }]) },
  "text of a sheet": { texts: parts("_¦_x¦_x0041¦_x005F_"), run: xmlText },
  "titles of bills": { run: (text) => [titlePatterns(text), titlePatterns(text, true)] },
  "whether a caption is about a bill": {
    texts: parts(
      "h r 5 ¦house bill number no ¦one hundred and ¦the water and ¦water act, h r 5, ¦senator xs water act ¦s's ¦5-",
    ),
    run: (text) =>
      judgeSpeeches(
        { ...NO_BILL, titles: titlePatterns("Water Act") },
        [{ ...SPEECH, row: { text } }],
        0,
        captionReader(),
      ),
  },
  "the spelling of a query": {
    texts: parts("5,376 water act¦5,376 ¦water\n¦5¦,¦ "),
    run: (text) =>
      isCovered('"5,376 water act"', [{ search: { query: '"5376"' }, reader: { firstPage: [{ text }] } } as never]),
  },
  "a damaged title": { run: (text) => repairTitle(text) },
  "names of speakers": { run: (text) => [personName(text), nameWords(text), titleChambers(text)] },
  "a typed bill": { run: (text) => [readBillId(text), readTitle(text)] },
  "what a title is searched without": { run: (text) => text.replace(UNSEARCHABLE, " ") },
  "a file of codes": { texts: parts('"¦""¦"a¦a"¦"",¦",¦",\n¦,¦;¦\t¦\r¦a,b\n¦"\n"\n'), run: codeRules().readCsv },
  "words of captions": { run: (text) => spokenTokens(spokenText(text)) },
  "patterns in captions": {
    run(text) {
      const captions = new Captions([text]);
      for (const { find } of patterns) find(captions, () => undefined);
      compilePatterns([text.slice(0, 500)]);
    },
  },
  "words of the embedded archive": { run: searchWords },
  // Node refuses longer URLs.
  "a query of the embedded archive": { size: 16_000, run: (text) => luceneMatcher(text, ["text"], () => () => false) },
  "a received notebook": {
    texts: (size) => [...parts(MARKDOWN, LONG ? BEFORE : [""])(size), ...parts(CODE)(size), ...parts(DISPLAY)(size)],
    size: LONG ? 20_000 : 10_000,
    run: report,
  },
  "an error of a cell": {
    texts: parts(STACK),
    run: (text) => cellFailure(Object.assign(new Error(text), { stack: `Error: ${text}\n    at ${text}` }), positions),
  },
};

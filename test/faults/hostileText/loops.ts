import { codeRules } from "../../../src/coding/codeRules.js";
import { luceneMatcher } from "../../../src/embedded/search/lucene.js";
import { words as searchWords } from "../../../src/embedded/search/words.js";
import { xmlText } from "../../../src/files/writers/xlsx/cells.js";
import { parseExact, stringifyExact } from "../../../src/frames/exactJson.js";
import { FrameBuilder } from "../../../src/frames/frameBuilder.js";
import { exprNode, inUtc } from "../../../src/frames/polarsPlan.js";
import { pl, toCsv, toDataFrame, toRecords } from "../../../src/index.js";
import { cellFailure } from "../../../src/kernel/cells/cellFailure.js";
import { CellPositions } from "../../../src/kernel/cells/cellPositions.js";
import { nameWords, personName, titleChambers } from "../../../src/members/names.js";
import { notebookHtml } from "../../../src/notebook/index.js";
import { scanPage } from "../../../src/pages/scanPage.js";
import { Secret } from "../../../src/service/http/secret.js";
import { parseRetryAfter } from "../../../src/service/http/waiting.js";
import { operations } from "../../../src/service/operations/operations.js";
import { NOT_SEARCHED } from "../../../src/speeches/bills.js";
import { titlePatterns } from "../../../src/speeches/judge/titlePattern.js";
import { captionReader, judgeSpeeches } from "../../../src/speeches/judgeSpeeches.js";
import { repairTitle, vocabularyOf } from "../../../src/speeches/repairTitle.js";
import { readBillId, readTitle } from "../../../src/speeches/typedBill.js";
import { Captions, spokenText } from "../../../src/text/captions.js";
import { compilePatterns } from "../../../src/text/pattern.js";
import { spokenTokens } from "../../../src/text/tokens.js";
import { LONG } from "../../scale.js";
import { bodies, counted, hostileTexts } from "./hostileTexts.js";

const SPEECH = { videotype: "Speech", variants: [], lastSearch: 0, isOfCaller: false, isWide: false };
const NO_BILL = {
  kinds: ["hr", "s"],
  number: "5",
  congress: 117,
  shortTitles: [],
} as const;

/** Code that processes text from the service or a received file. */
export interface Loop {
  readonly name: string;
  /** Texts of about this size that could be slow; by default repeated characters and pairs. */
  readonly texts?: (size: number) => readonly string[];
  /** Maximum characters of a text, if lower than for other loops. */
  readonly size?: number;
  /** Processes the text. It may throw; promises are not awaited. */
  readonly run: (text: string) => unknown;
}

/** Texts that repeat the parts of a list, which `¦` separates. */
const repeated =
  (parts: string, before: readonly string[] = [""]) =>
  (size: number): string[] =>
    parts
      .split("¦")
      .flatMap((unit) =>
        before.flatMap((start) => ["", "\n\na"].map((end) => start + unit.repeat(size / unit.length) + end)),
      );

/** Markdown that makes a parser backtrack, and beginnings that change the meaning of the rest. */
const MARKDOWN =
  ">¦> ¦- ¦- > ¦1. ¦- a\n¦- a\n\n¦  - a\n¦> a\n¦> a\na\n¦a\n¦a\n\n¦a  \n¦    a\n¦# a\n¦a\n=\n¦a|b\n-|-\n¦|¦`a ¦``a ¦*a ¦**a ¦_*a¦a_¦*_¦~~a¦" +
  '[a](¦[a](<b¦[a](b "¦[a][b]¦[a]: b\n¦![¦![x](attachment:%)¦<a@¦a@a.¦www.a¦http://a¦<http://¦<a b=c ¦<!-- -¦<?¦<![CDATA[¦```\n¦' +
  "~~~\n```\n¦- ```\n¦&#¦(data:image/png;base64,¦(af-picture:0)";
const BEFORE = ["", "- a\n", "> ", "a|b\n-|-\n", "<div>\n", "a\n\n\u2028", "```"];
const CODE = '/*¦*/*¦/**/¦//¦"¦\\"¦"\\¦`¦\\`¦\'a¦as ¦a.as¦/* \'¦${`';
const STACK =
  "\n    at ¦\n    at f (notebook-cell-1:1:1)¦notebook-cell-1:1¦notebook-cell-1¦\n    at /a/node_modules/b.js:1:1¦/node_modules¦" +
  "/a¦file://¦\n    at Proxy.¦\n ";
const DISPLAY = '<div>¦<td ¦<td class="¦<td class="af-a ¦af-a ¦<¦>¦</div>¦<style>¦="';

const KEY = 'k3y-"/\\with=odd&signs';
/** Texts that repeat the beginning of the key, in several encodings. */
const almostKeys = (size: number): string[] =>
  ["k3y-", 'k3y-"', 'k3y-\\"', "k3y-%22", "k3y-&quot;", "k3y-&#0000", "k3y-\\u00", "%6b", "&#x0"].flatMap((unit) => [
    unit.repeat(size / unit.length),
    JSON.stringify({ a: unit.repeat(size / unit.length) }),
    `{"a":"${"\\".repeat(2)}${unit.replace(/["\\]/g, "").repeat(size / unit.length)}","k":"${"x".repeat(9)}"}`,
  ]);

/** Rows whose members collide, differ in every row, are nested, or are very numerous. */
function members(size: number): string[] {
  const rows = (row: (at: number) => string) => `{"mentions":[${counted(size, row)}]}`;
  const inOne = (member: (at: number) => string) => `{"mentions":[{${counted(size, member)}}]}`;
  return [
    rows((at) => `{"m${at}":1}`),
    rows((at) => `{"m${at % 2000}":"x"}`),
    rows((at) => `{"m${at % 500}":{"a":[${at}]}}`),
    rows((at) => `{"height${"_".repeat(at % 500)}":1}`),
    rows((at) => `{"begintime":"2024-01-01T00:00:0${at % 10}.${"1".repeat(at % 9)}Z"}`),
    inOne((at) => `"height${"_".repeat(at)}":1`),
    inOne((at) => `"a${".a".repeat(at % 200)}${at}":1`),
    inOne((at) => `"m${at}":1`),
    inOne((at) => `"m${at}":[${at},"x"]`),
    inOne((at) => `"m${at}":{"a":${at}}`),
    inOne((at) => `"m${at}":"2024-01-01"`),
    `{"mentions":[{"${"x".repeat(size / 2)}":{${counted(size / 2, (at) => `"m${at}":1`)}}}]}`,
    `{"mentions":[{"begintime":"2024-01-01T00:00:00.${"0".repeat(size)}Z"}]}`,
  ];
}

/** Reads a body as one page, as the client does. */
function readBody(text: string): void {
  const builder = new FrameBuilder(operations.mentions.columns);
  builder.add(scanPage(Buffer.from(text), "mentions", builder.shape));
  builder.take();
}

const numbers = (size: number): string[] =>
  repeated("9¦1234567890123456,¦-¦0¦1e¦1.¦-9¦9 ¦9999999999999999 ")(size).flatMap((text) => [text, `[${text}1]`]);

/** A received notebook with the text in cells of each kind; the time limits of its cells must not add up. */
function report(text: string): void {
  const outputs = [
    { output_type: "stream", text },
    { output_type: "error", ename: text, evalue: text, traceback: [text] },
    { output_type: "display_data", data: { "text/html": text, "text/plain": text, "image/svg+xml": text } },
    { output_type: "display_data", data: { "text/html": `<div class="archive-frames">${text}`, "image/png": text } },
    { output_type: "display_data", data: { "text/html": `<div class="archive-frames"><td class="${text}!">` } },
  ];
  const parts = Array.from({ length: Math.min(20, text.length / 1000) }, (_, at) =>
    text.slice(at * 1000, at * 1000 + 1000),
  );
  notebookHtml({
    nbformat: 4,
    cells: [
      { cell_type: "code", source: text, outputs },
      ...[text, ...parts].map((source) => ({ cell_type: "markdown", source })),
    ] as never,
  });
}

const key = new Secret(KEY);
const dates = repeated('date:¦date:[¦date:(¦date:([¦date:{ ¦date ¦date\t:\n¦date:"¦date:[ TO¦date:(x [y] ¦"\\');
const vocabulary = vocabularyOf();
const patterns = compilePatterns(["climate change", "H.R. 1", "a* a*", "1,000", /\btax(?:es)?\b/i]);
const positions = new CellPositions();
const MAP = JSON.stringify({ version: 3, sources: ["a"], names: [], mappings: "AAAA;AACA;AACA" });
positions.add(1, 1, "throw 1", { fromCommonJs: MAP, fromTypeScript: MAP });

export const LOOPS: readonly Loop[] = [
  { name: "the key in a text", run: (text) => key.redact(text) },
  { name: "almost the key in a text", texts: almostKeys, run: (text) => key.redact(text) },
  { name: "almost the key in a body", texts: almostKeys, run: (text) => key.redactBody(Buffer.from(text)) },
  { name: "Retry-After", run: (text) => parseRetryAfter(text, 0) },
  { name: "an unknown option", run: (text) => toCsv([{ a: 1 }], { [text]: 1 } as never) },
  {
    name: "a program query",
    texts: (size) => [...hostileTexts(size), ...dates(size)],
    run: (text) => operations.programsSearch.parameters.query.check("query", text),
  },
  {
    name: "a body",
    texts: (size) => [...bodies(size), ...members(size), ...hostileTexts(size)],
    run: readBody,
  },
  {
    name: "exact JSON",
    texts: (size) => [
      ...numbers(size),
      ...bodies(size),
      ...hostileTexts(size).flatMap((text) => [`1234567890123456${text}`, JSON.stringify([text, 2 ** 60])]),
    ],
    run: (text) => [text.toWellFormed(), stringifyExact({ [text]: [text, 2n ** 70n] }), parseExact(text)],
  },
  {
    name: "toDataFrame and toRecords",
    texts: members,
    run: (text) => toRecords(toDataFrame((JSON.parse(text) as { mentions: object[] }).mentions)),
  },
  {
    name: "an expression with a text",
    size: LONG ? 100_000 : 24_000,
    run: (text) => {
      const expr = pl.col("text").eq(pl.lit(text));
      return [exprNode(expr), inUtc(expr.and(pl.col("date").gt(pl.lit(new Date(0)))))];
    },
  },
  { name: "CSV", run: (text) => toCsv([{ [text]: text, [`${text}=`]: 1 }]) },
  {
    name: "text of a sheet",
    texts: (size) => [...hostileTexts(size), ...repeated("_¦_x¦_x0041¦_x005F_")(size)],
    run: xmlText,
  },
  { name: "titles of bills", run: (text) => [titlePatterns(text), titlePatterns(text, true)] },
  {
    name: "whether a caption is about a bill",
    texts: (size) => [
      ...hostileTexts(size),
      ...repeated(
        "h r 5 ¦house bill number no ¦one hundred and ¦the water and ¦water act, h r 5, ¦senator xs water act ¦s's ¦5-",
      )(size),
    ],
    run: (text) =>
      judgeSpeeches(
        { ...NO_BILL, titles: titlePatterns("Water Act") },
        [{ ...SPEECH, row: { text } }],
        0,
        captionReader(),
      ),
  },
  { name: "a damaged title", run: (text) => repairTitle(text, vocabulary) },
  { name: "names of speakers", run: (text) => [personName(text), nameWords(text), titleChambers(text)] },
  { name: "what a title is searched without", run: (text) => text.replace(NOT_SEARCHED, " ") },
  { name: "a typed bill", run: (text) => [readBillId(text), readTitle(text)] },
  {
    name: "a file of codes",
    texts: (size) => [...hostileTexts(size), ...repeated('"¦""¦"a¦a"¦"",¦",¦",\n¦,¦;¦\t¦\r¦\r\n¦a,b\n¦"\n"\n')(size)],
    run: codeRules().readCsv,
  },
  { name: "words of captions", run: (text) => spokenTokens(spokenText(text)) },
  {
    name: "patterns in captions",
    run(text) {
      const captions = new Captions([text]);
      for (const { find } of patterns) find(captions, () => undefined);
      compilePatterns([text.slice(0, 500)]);
    },
  },
  { name: "words of the embedded archive", run: searchWords },
  // Node refuses longer URLs.
  {
    name: "a query of the embedded archive",
    size: 16_000,
    run: (query) => luceneMatcher(query, ["text"], () => () => false),
  },
  {
    name: "a received notebook",
    texts: (size) => [
      ...hostileTexts(size),
      ...repeated(MARKDOWN, LONG ? BEFORE : BEFORE.slice(0, 1))(size),
      ...repeated(CODE)(size),
      ...repeated(DISPLAY)(size),
    ],
    size: LONG ? 20_000 : 10_000,
    run: report,
  },
  {
    name: "an error of a cell",
    texts: (size) => [...repeated(STACK)(size), ...hostileTexts(size)],
    run: (text) => cellFailure(Object.assign(new Error(text), { stack: `Error: ${text}\n    at ${text}` }), positions),
  },
];

import { csvHeader } from "../../../src/files/writers/csvColumns.js";
import { sheetName } from "../../../src/files/writers/xlsx/sheet.js";
import { xmlText } from "../../../src/files/writers/xlsx/xmlText.js";
import { toCsv } from "../../../src/index.js";
import { isIndexLine, readLine } from "../../../src/responses/line.js";
import type { Loop } from "./loop.js";

export const filesLoops: readonly Loop[] = [
  { name: "csvHeader", regexesOf: ["files/writers/excelSafe.ts"], run: (text) => csvHeader([text, `${text}=`], true) },
  { name: "toCsv", run: (text) => toCsv([{ [text]: text }]) },
  { name: "xmlText", regexesOf: ["files/writers/xlsx/xmlText.ts"], run: xmlText },
  {
    name: "xmlText of almost escapes",
    texts: (size) => ["_", "_x", "_x0041", "_x005F_"].map((unit) => unit.repeat(size / unit.length)),
    run: xmlText,
  },
  { name: "sheetName", run: (text) => sheetName(text) },
  {
    name: "a line of an index",
    texts: (size) =>
      ['{"crc":"', '","crc":"00000000"}', "{", '","'].map((unit) => `{${unit.repeat(size / unit.length)}`),
    run: (text) => readLine(text, isIndexLine),
  },
];

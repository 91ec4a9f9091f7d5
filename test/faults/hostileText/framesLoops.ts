import { parseExact, stringifyExact, wellFormed } from "../../../src/frames/exactJson.js";
import { FrameBuilder } from "../../../src/frames/frameBuilder.js";
import { parseTimestamp } from "../../../src/frames/typeFlags.js";
import { operations, toDataFrame, toRecords } from "../../../src/index.js";
import { scanPage } from "../../../src/pages/scanPage.js";
import { bodies, hostileTexts } from "./hostileTexts.js";
import type { Loop } from "./loop.js";

const numbers = (size: number): string[] =>
  ["9", "1234567890123456,", "-", "0", "1e", "1.", "-9", "9 ", "9999999999999999 "].flatMap((unit) => [
    unit.repeat(size / unit.length),
    `[${unit.repeat(size / unit.length)}1]`,
  ]);

const strings = (size: number): string[] => hostileTexts(size).map((text) => JSON.stringify([text, 2 ** 60]));

/** Reads a body as one page, as the client does. */
function readBody(text: string): void {
  const bytes = Buffer.from(text);
  const builder = new FrameBuilder(operations.mentions.columns);
  builder.add(scanPage(bytes, "mentions", builder.shape));
  builder.take();
}

/** Rows whose members collide, differ in every row, are nested, or are very numerous. */
function members(size: number): string[] {
  const rows = (row: (at: number) => string): string => {
    const all: string[] = [];
    for (let at = 0, length = 0; length < size; at++) {
      all.push(row(at));
      length += (all.at(-1) as string).length + 1;
    }
    return `{"mentions":[${all.join(",")}]}`;
  };
  const inOne = (member: (at: number) => string): string => {
    const all: string[] = [];
    for (let at = 0, length = 0; length < size; at++) {
      all.push(member(at));
      length += (all.at(-1) as string).length + 1;
    }
    return `{"mentions":[{${all.join(",")}}]}`;
  };
  return [
    rows((at) => `{"m${at}":1}`),
    rows((at) => `{"m${at % 2000}":"x"}`),
    rows((at) => `{"m${at % 500}":{"a":[${at}]}}`),
    rows((at) => `{"height${"_".repeat(at % 500)}":1}`),
    inOne((at) => `"height${"_".repeat(at)}":1`),
    inOne((at) => `"a${".a".repeat(at % 200)}${at}":1`),
    inOne((at) => `"m${at}":1`),
    inOne((at) => `"m${at}":[${at},"x"]`),
    inOne((at) => `"m${at}":{"a":${at}}`),
    inOne((at) => `"m${at}":"2024-01-01"`),
    rows((at) => `{"begintime":"2024-01-01T00:00:0${at % 10}.${"1".repeat(at % 9)}Z"}`),
    `{"mentions":[{"${"x".repeat(size / 2)}":{${Array.from({ length: size / 20 }, (_, at) => `"m${at}":1`).join(",")}}}]}`,
  ];
}

export const framesLoops: readonly Loop[] = [
  {
    name: "parseExact of any text",
    regexesOf: ["frames/exactJson.ts"],
    run: (text) => parseExact(`1234567890123456${text}`),
  },
  { name: "parseExact of numbers", texts: numbers, run: parseExact },
  { name: "parseExact of strings", texts: strings, run: parseExact },
  { name: "parseExact of bodies", texts: bodies, run: parseExact },
  { name: "FrameBuilder", texts: (size) => [...bodies(size), ...members(size)], run: readBody },
  {
    name: "toDataFrame and toRecords",
    texts: members,
    run: (text) => toRecords(toDataFrame((JSON.parse(text) as { mentions: object[] }).mentions)),
  },
  { name: "stringifyExact", run: (text) => stringifyExact({ [text]: [text, 2n ** 70n] }) },
  { name: "wellFormed", run: wellFormed },
  {
    name: "parseTimestamp",
    texts: (size) => [...hostileTexts(size), `2024-01-01T00:00:00.${"0".repeat(size)}Z`],
    run: parseTimestamp,
  },
];

import { instant } from "../../../src/frames/cells.js";
import { parseExact, stringifyExact, wellFormed } from "../../../src/frames/exactJson.js";
import { bodies, hostileTexts } from "./hostileTexts.js";
import type { Loop } from "./loop.js";

const numbers = (size: number): string[] =>
  ["9", "1234567890123456,", "-", "0", "1e", "1.", "-9", "9 ", "9999999999999999 "].flatMap((unit) => [
    unit.repeat(size / unit.length),
    `[${unit.repeat(size / unit.length)}1]`,
  ]);

const strings = (size: number): string[] => hostileTexts(size).map((text) => JSON.stringify([text, 2 ** 60]));

export const framesLoops: readonly Loop[] = [
  {
    name: "parseExact of any text",
    regexesOf: ["frames/exactJson.ts"],
    run: (text) => parseExact(`1234567890123456${text}`),
  },
  { name: "parseExact of numbers", texts: numbers, run: parseExact },
  { name: "parseExact of strings", texts: strings, run: parseExact },
  { name: "parseExact of bodies", texts: bodies, run: parseExact },
  { name: "stringifyExact", run: (text) => stringifyExact({ [text]: [text, 2n ** 70n] }) },
  { name: "wellFormed", run: wellFormed },
  {
    name: "instant",
    texts: (size) => [...hostileTexts(size), `2024-01-01T00:00:00.${"0".repeat(size)}Z`],
    run: instant,
  },
];

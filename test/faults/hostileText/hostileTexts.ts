import fc from "fast-check";
import { LONG } from "../../scale.js";
import { endsWithin } from "./timeLimit.js";

/** Characters that are special in some format, pairs of them, and what opens something. */
const COMMON = [..."aA01 \t\n\"'\\/.,:-_<>é[{(%", "\ud800", "a ", " a", "\r\n", "``", "`", "![ "];
const PAIRS = String.raw`\" \\ [{ {} [] () <a &# %2 \u 0. a, ![ a. "," <!-- {"a": " ' &#x % \u00`.split(" ");

/** Texts of about `size` characters that are slow for careless code. */
export function hostileTexts(size: number): string[] {
  return [...COMMON, ...PAIRS].flatMap((unit) => [repeated(unit, size), `${repeated(unit, size)}!`]);
}

export function repeated(unit: string, size: number): string {
  return unit.repeat(Math.max(1, Math.floor(size / unit.length)));
}

/** JSON with a member or row for each number, until it is long enough. */
export function counted(size: number, item: (at: number) => string): string {
  const items: string[] = [];
  for (let at = 0, length = 0; length < size; at++) length += items.push(item(at)) && (items[at] as string).length + 1;
  return items.join(",");
}

/**
 * Texts of about `size` characters that are slow for one expression: what it matches, in which a character, the beginning or the end is
 * repeated, so that the match almost succeeds.
 */
export function hostileTextsFor(regex: RegExp, size: number): string[] {
  const matching = samples(regex);
  const characters = [...new Set(matching.join("") + regex.source.replace(/\\./g, ""))].slice(0, 8);
  const pairs = characters.flatMap((first) => characters.map((second) => first + second));
  const texts = [...characters, ...pairs].map((unit) => `${repeated(unit, size)}\u0000`);
  for (const sample of matching) {
    for (let at = 0; at < sample.length; at += Math.ceil(sample.length / 6)) {
      for (const unit of [sample.charAt(at), sample.slice(at), sample.slice(0, at + 1), ...characters.slice(0, 2)]) {
        const start = sample.slice(0, at) + repeated(unit, size);
        texts.push(`${start}\u0000`, `${start}${sample.slice(at + 1)}!`);
      }
    }
  }
  return [...new Set(texts)];
}

/** Texts that match the expression; none if fast-check cannot generate them quickly. */
function samples(regex: RegExp): string[] {
  let texts: string[] = [];
  endsWithin(500, () => {
    const matching = fc.stringMatching(new RegExp(regex.source, regex.flags.replace(/[gimy]/g, "")), { size: "small" });
    texts = fc.sample(matching, { numRuns: LONG ? 8 : 2, seed: 1 });
  });
  return texts.filter((text) => text !== "" && text.length < 200);
}

/** JSON of about `size` characters in the service's shape, or almost: what repeats, differs in every row, nests, or never ends. */
export function hostileBodies(size: number): string[] {
  const of = (rows: string) => `{"cursor":"c","mentions":[${rows}]}`;
  const list = (unit: string) => `${repeated(`${unit},`, size)}${unit}`;
  const numbered = (item: (at: number) => string) => counted(size, item);
  const rows = ["{}", '{"id":"1"}', '{"id":1,"text":"\\\\"}', '{"te\\u0078t":1}', '{"text":"\\""}'].map(list);
  const texts = ['\\"', "\\\\", "\\ud800", "2024-01-01T00:00:00Z"].map((unit) => repeated(unit, size));
  const values = [...texts, repeated("9", size)].map((text) => `{"id":"${text}","begintime":"${text}"}`);
  const unfinished = ["{", "[", '{"a":', " ", "{} ", '{"id" '].map((unit) => repeated(unit, size));
  const numbers = [repeated("9", size), repeated("0", size), `1${repeated("e1", size)}`].map((n) => `{"length":${n}}`);
  const names = [
    numbered((at) => `{"m${at}":1}`),
    numbered((at) => `{"m${at % 500}":{"a":[${at}]}}`),
    numbered((at) => `{"height${"_".repeat(at % 500)}":1}`),
    numbered((at) => `{"begintime":"2024-01-01T00:00:0${at % 10}.${"1".repeat(at % 9)}Z"}`),
  ];
  const wide = [
    numbered((at) => `"height${"_".repeat(at)}":1`),
    numbered((at) => `"a${".a".repeat(at % 200)}${at}":1`),
    numbered((at) => `"m${at}":{"a":[${at},"x"]}`),
    numbered((at) => `"m${at}":"2024-01-01"`),
    list('"id":1'),
    `"${repeated('\\"', size)}":1`,
    `"a":${list("[[[[]]]]").replace(/.*/, "[$&]")}`,
    `"${"x".repeat(size / 2)}":{${counted(size / 2, (at) => `"m${at}":1`)}}`,
  ].map((members) => `{${members}}`);
  return [
    ...[...rows, ...values, ...unfinished, ...numbers, ...names, ...wide].map(of),
    repeated('{"mentions":[', size),
    `{${list('"mentions":[{"id":1}]')}}`,
    `{${list('"cursor":"c"')}}`,
    `{${repeated('"\\"', size)}`,
    `${repeated(" ", size)}{"mentions":[]}`,
    `{"mentions":[]}${repeated("\n", size)}!`,
  ];
}

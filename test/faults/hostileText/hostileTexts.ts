import fc from "fast-check";
import { LONG } from "../../scale.js";
import { endsWithin } from "./timeLimit.js";

/** Endings that make a match fail at the last moment. */
const ENDINGS = ["", "!", "\n", "\u0000", '"'];

/** Characters that are special in some format. */
const COMMON = [..."aA01 \t\n\"'\\/.,:-_<>é", "\ud800"];
const COMMON_PAIRS = String.raw`\" \\ [{ {} [] () <a &# %2 \u 0. a, ![ a. ","`.split(" ");
const COMMON_OPENERS = String.raw`[ { ( <!-- {"a": " ' &#x % \u00 <`.split(" ");
const SPACED = ["a ", " a", "\r\n", "``", "`"];

/** Texts of about `size` characters that are slow for careless code. */
export function hostileTexts(size: number): string[] {
  const units = [...COMMON, ...COMMON_PAIRS, ...COMMON_OPENERS, ...SPACED];
  return units.flatMap((unit) => [repeated(unit, size), `${repeated(unit, size)}!`]);
}

/**
 * Texts of about `size` characters that are slow for one expression: repeated parts of what it matches, with beginnings and
 * endings that make the match almost succeed.
 */
export function hostileTextsFor(regex: RegExp, size: number): string[] {
  const characters = charactersOf(regex);
  const pairs = characters.flatMap((first) => characters.map((second) => first + second));
  const texts = [...characters, ...pairs].map((unit) => `${repeated(unit, size)}\u0000`);
  for (const sample of samples(regex)) {
    const length = sample.length;
    // Repeat a character in the middle of a match: one of the expression's own or another.
    for (let at = 0; at < length; at += Math.ceil(length / 6)) {
      for (const unit of [sample.charAt(at), ...characters.slice(0, 3)])
        texts.push(`${sample.slice(0, at)}${repeated(unit, size)}\u0000`);
    }
    for (const [from, to] of [
      [0, length],
      [0, length - 1],
      [1, length],
      [0, 1],
      [length - 1, length],
      [Math.floor(length / 3), Math.ceil((2 * length) / 3)],
    ]) {
      const unit = sample.slice(from, to);
      if (unit === "") continue;
      const ending = ENDINGS[texts.length % ENDINGS.length] as string;
      texts.push(`${sample.slice(0, from)}${repeated(unit, size)}${ending}`);
      texts.push(`${sample.slice(0, from)}${repeated(unit, size)}${sample.slice(to)}${ending}`);
    }
  }
  return [...new Set(texts)];
}

function repeated(unit: string, size: number): string {
  return unit.repeat(Math.max(1, Math.floor(size / unit.length)));
}

/** One matching character for each part of an expression. */
function charactersOf({ source }: RegExp): string[] {
  const found = new Set<string>();
  for (const [part] of source.matchAll(/\\[pP]\{[^}]*\}|\\x[\da-f]{2}|\\u[\da-f]{4}|\\.|[^\\]/gis)) {
    if (/^\\[pP]/.test(part)) found.add("é");
    else if (/^\\[xu]./i.test(part)) found.add(String.fromCharCode(Number.parseInt(part.slice(2), 16)));
    else if (part.startsWith("\\")) found.add(CLASSES[part] ?? part.slice(1));
    else if (part === ".") found.add("x");
    else if (!/[*+?(){}|^$]/.test(part)) found.add(part);
  }
  return [...found].slice(0, 8);
}

const CLASSES: Readonly<Record<string, string>> = Object.fromEntries(
  ["d1", "Da", "wa", "W ", "s ", "Sa", "b ", "Ba", "n\n", "r\r", "t\t", "0\u0000"].map(([name, one]) => [
    `\\${name}`,
    one ?? "",
  ]),
);

/** Texts that match the expression; none if fast-check cannot generate them quickly. */
function samples(regex: RegExp): string[] {
  let texts: string[] = [];
  endsWithin(500, () => {
    const matching = fc.stringMatching(new RegExp(regex.source, regex.flags.replace(/[gimy]/g, "")), { size: "small" });
    texts = fc.sample(matching, { numRuns: LONG ? 8 : 2, seed: 1 });
  });
  return texts.filter((text) => text !== "" && text.length < 200);
}

/** JSON with a member or row for each number, until it is long enough. */
export function counted(size: number, item: (at: number) => string): string {
  const items: string[] = [];
  for (let at = 0, length = 0; length < size; at++) length += items.push(item(at)) && (items[at] as string).length + 1;
  return items.join(",");
}

/** Bodies of about `size` characters: JSON in the service's shape, or almost. */
export function bodies(size: number): string[] {
  const of = (rows: string): string => `{"cursor":"c","mentions":[${rows}]}`;
  const times = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));
  const list = (unit: string): string => times(`${unit},`).slice(0, -1);
  return [
    of(list("{}")),
    of(list('{"id":"1"}')),
    of(list('{"id":1,"text":"\\\\"}')),
    of(list('{"text":"\\""}')),
    of(list('{"te\\u0078t":1}')),
    of(`{"text":"${times('\\"')}"}`),
    of(`{"text":"${times("\\\\")}"}`),
    of(`{"text":"${times("\\ud800")}"}`),
    of(`{"${times('\\"')}":1}`),
    of(`{"id":${times("9")}}`),
    of(`{"id":"${times("9")}"}`),
    of(`{"length":${times("0")}}`),
    of(`{"length":1${times("e1")}}`),
    of(`{"begintime":"${times("2024-01-01T00:00:00Z")}"}`),
    of(times("{")),
    of(times("[")),
    of(`{"a":${times('{"a":')}`),
    of(`{"a":${times("[")}`),
    of(`{"a":${list("[[[[]]]]")}}`),
    of(times(" ")),
    of(times("{} ")),
    of(times('{"id" ')),
    of(counted(size, (at) => `{"id":${at}}`)),
    of(`{${counted(size, (at) => `"m${at}":1`)}}`),
    of(`{${list('"a":1')}}`),
    of(`{${list('"id":1')}}`),
    times('{"mentions":['),
    `{${list('"mentions":[{"id":1}]')}}`,
    `{${list('"cursor":"c"')}}`,
    `{${times('"\\"')}`,
    `${times(" ")}{"mentions":[]}`,
    `{"mentions":[]}${times("\n")}!`,
  ];
}

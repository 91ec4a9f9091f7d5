import { describe, expect, it } from "vitest";
import { LONG } from "../scale.js";
import { hostileTexts, hostileTextsFor } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { NOT_HOSTILE } from "./hostileText/notHostile.js";
import { sourceRegexes } from "./hostileText/sourceRegexes.js";
import { isLinear } from "./hostileText/timeLimit.js";

/** Characters of a text: enough for a quadratic search to show. */
const REGEX_SIZE = LONG ? 50_000 : 12_000;
const LOOP_SIZE = LONG ? 300_000 : 24_000;

const regexes = sourceRegexes();

/** Without an unbounded quantifier each attempt to match takes constant time, so a search is linear. Only the long form runs it. */
function isBounded({ source }: RegExp): boolean {
  return !/[*+]|\{\d*,\}/.test(source.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, ""));
}

/** Runs the work on each text; `textsOf` makes the same texts in any size. */
function expectLinear(work: (text: string) => unknown, textsOf: (size: number) => readonly string[], size: number) {
  textsOf(size).forEach((text, at) => {
    const quarter = () => textsOf(size / 4)[at] ?? text.slice(0, text.length / 4);
    const message = `slow on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`;
    expect(isLinear(work, text, quarter), message).toBe(true);
  });
}

describe("every regular expression in the sources", () => {
  const literals = regexes.flatMap(({ file, text, regex }) => (regex === undefined ? [] : [{ file, text, regex }]));
  const isOurs = (file: string, text: string) =>
    NOT_HOSTILE.some((entry) => entry.file === file && entry.regex === text);

  it.each(
    literals
      .filter(({ file, text, regex }) => !isOurs(file, text) && (LONG || !isBounded(regex)))
      .map(({ file, text, regex }) => [file, text, regex] as const),
  )("%s: %s takes linear time on hostile text", (_file, _text, regex) => {
    const everywhere = new RegExp(regex.source, regex.flags.includes("g") ? regex.flags : `${regex.flags}g`);
    // As exec, test and search use it, and as replace, split and matchAll do.
    const once = regex.global ? undefined : regex;
    expectLinear(
      (text) => [once?.test(text), text.replace(everywhere, "")],
      (size) => hostileTextsFor(regex, size),
      REGEX_SIZE,
    );
  });

  it.each([
    [/[*+]\+\*/, true],
    [/a{2,3}b?/, true],
    [/a{2,}/, false],
    [/\\+/, false],
    [/[\]a]*$/, false],
  ])("%s is bounded: %s", (regex, bounded) => {
    expect(isBounded(regex)).toBe(bounded);
  });

  it("that is constructed at run time is covered by a loop", () => {
    const covered = new Set(LOOPS.flatMap(({ regexesOf = [] }) => regexesOf));
    const missing = regexes.filter(({ file, regex }) => regex === undefined && !covered.has(file));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it("that is exempt exists, with a reason", () => {
    const stale = NOT_HOSTILE.filter(
      ({ file, regex }) => !literals.some((one) => one.file === file && one.text === regex),
    );
    expect(stale).toEqual([]);
    expect(NOT_HOSTILE.filter(({ because }) => because.trim() === "")).toEqual([]);
  });
});

describe("every loop over untrusted text", () => {
  it.each(LOOPS.map((loop) => [loop.name, loop] as const))(
    "%s takes linear time on hostile text",
    (_name, { texts = hostileTexts, run, size = LOOP_SIZE }) => {
      expectLinear(run, texts, Math.min(size, LOOP_SIZE));
    },
  );
});

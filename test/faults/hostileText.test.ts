import { describe, expect, it } from "vitest";
import { LONG } from "../scale.js";
import { hostileTexts, hostileTextsFor } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { NOT_HOSTILE } from "./hostileText/notHostile.js";
import { sourceRegexes } from "./hostileText/sourceRegexes.js";
import { isLinear } from "./hostileText/timeLimit.js";

/** Characters per text: enough to expose quadratic time. */
const REGEX_SIZE = LONG ? 50_000 : 8_000;
const LOOP_SIZE = LONG ? 300_000 : 24_000;

const regexes = sourceRegexes();

/** Without an unbounded quantifier, each match attempt takes constant time. Only the long form tests these. */
function isBounded({ source }: RegExp): boolean {
  return !/[*+]|\{\d*,\}/.test(source.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, ""));
}

/** Runs the work on each text; `textsOf` generates the same texts in any size. */
function expectLinear(work: (text: string) => unknown, textsOf: (size: number) => readonly string[], size: number) {
  textsOf(size).forEach((text, at) => {
    const quarter = () => textsOf(size / 4)[at] ?? text.slice(0, text.length / 4);
    const message = `slow on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`;
    expect(isLinear(work, text, quarter), message).toBe(true);
  });
}

describe("a regular expression in the sources", () => {
  const literals = regexes.flatMap(({ file, text, regex }) => (regex === undefined ? [] : [{ file, text, regex }]));
  const isExempt = (file: string, text: string) =>
    NOT_HOSTILE.some((entry) => entry.file === file && entry.regex === text);

  it.each(
    literals
      .filter(({ file, text, regex }) => !isExempt(file, text) && (LONG || !isBounded(regex)))
      .map(({ file, text, regex }) => [file, text, regex] as const),
  )("%s: %s takes linear time on hostile text", (_file, _text, regex) => {
    const everywhere = new RegExp(regex.source, regex.flags.includes("g") ? regex.flags : `${regex.flags}g`);
    // exec, test and search use it as it is; replace, split and matchAll use it with the g flag.
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

  it("constructed at run time is covered by a loop", () => {
    const covered = new Set(LOOPS.flatMap(({ regexesOf = [] }) => regexesOf));
    const missing = regexes.filter(({ file, regex }) => regex === undefined && !covered.has(file));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it("that is exempt exists and has a reason", () => {
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

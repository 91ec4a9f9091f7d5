import { describe, expect, it } from "vitest";
import { hostileTexts, hostileTextsFor } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { NOT_HOSTILE } from "./hostileText/notHostile.js";
import { sourceRegexes } from "./hostileText/sourceRegexes.js";
import { isFastEnough } from "./hostileText/timeLimit.js";

const REGEX_SIZE = 50_000;
const LOOP_SIZE = 300_000;

const regexes = sourceRegexes();

describe("every regular expression of the sources", () => {
  const literals = regexes.flatMap(({ file, text, regex }) => (regex === undefined ? [] : [{ file, text, regex }]));
  const isOurs = (file: string, text: string) =>
    NOT_HOSTILE.some((entry) => entry.file === file && entry.regex === text);

  it.each(
    literals
      .filter(({ file, text }) => !isOurs(file, text))
      .map(({ file, text, regex }) => [file, text, regex] as const),
  )("%s: %s is fast on hostile text", (_file, _text, regex) => {
    for (const text of hostileTextsFor(regex, REGEX_SIZE)) {
      const everywhere = new RegExp(regex.source, regex.flags.includes("g") ? regex.flags : `${regex.flags}g`);
      // As exec, test and search use it, and as replace, split and matchAll do.
      const once = regex.global ? undefined : regex;
      const fast = isFastEnough(() => [once?.test(text), text.replace(everywhere, "")], text.length);
      expect(fast, `slow on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`).toBe(true);
    }
  });

  it("that is constructed at run time is in the table of loops", () => {
    const covered = new Set(LOOPS.flatMap(({ regexesOf = [] }) => regexesOf));
    const missing = regexes.filter(({ file, regex }) => regex === undefined && !covered.has(file));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it("that sees no hostile text is there, and the reason is given", () => {
    const stale = NOT_HOSTILE.filter(
      ({ file, regex }) => !literals.some((one) => one.file === file && one.text === regex),
    );
    expect(stale).toEqual([]);
    expect(NOT_HOSTILE.filter(({ because }) => because.trim() === "")).toEqual([]);
  });
});

describe("every loop over text from outside", () => {
  it.each(LOOPS.map((loop) => [loop.name, loop] as const))(
    "%s is fast on hostile text",
    (_name, { texts = hostileTexts, run, size = LOOP_SIZE }) => {
      for (const text of texts(size)) {
        const fast = isFastEnough(() => run(text), text.length);
        expect(fast, `slow on ${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters`).toBe(true);
      }
    },
    300_000,
  );
});

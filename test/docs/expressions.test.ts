import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import type TS from "typescript";
import { describe, expect, it, vi } from "vitest";
import { hostileTextsFor } from "../faults/hostileText/hostileTexts.js";
import { expectLinear } from "../faults/hostileText/timeLimit.js";
import { endWithTests } from "../fleet/endWithTests.js";
import { runProcess } from "../runProcess.js";
import { FULL, LONG } from "../scale.js";
import { ROOT } from "./markdown.js";
import { sourceFiles } from "./sourceImports.js";
import { ts } from "./typescript.js";

/** Regular expressions that never see untrusted text, or only short pieces of it: file, literal, why. */
const NOT_HOSTILE: ReadonlyArray<readonly [file: string, regex: string, because: string]> = [
  ["service/http/url.ts", String.raw`/\/+$/`, "It sees the base URL, which the user sets."],
  ["util/text.ts", String.raw`/\B(?=(\d{3})+$)/g`, "It sees the digits of a number that we formatted."],
];

/** A regular expression in the source code. */
interface SourceRegex {
  readonly file: string;
  /** The literal, or the call that constructs the expression. */
  readonly text: string;
  /** Undefined if it is constructed at run time. */
  readonly regex: RegExp | undefined;
}

const PAGE = "coding/page.html";

/** Every regular expression literal and every `RegExp(…)` below `src`. */
function sourceRegexes(): SourceRegex[] {
  return [...sourceFiles(), PAGE].flatMap((file) => {
    const text = readFileSync(join(ROOT, "src", file), "utf8");
    const code = file === PAGE ? text.slice(text.lastIndexOf("<script>") + 8, text.lastIndexOf("</script>")) : text;
    const found: SourceRegex[] = [];
    const visit = (node: TS.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        found.push({ file, text: node.text, regex: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) });
      } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
        found.push({ file, text: node.getText(), regex: undefined });
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
    return found;
  });
}

/** Files that construct expressions at run time; `test/faults/hostileText` runs their code on hostile text. */
const COVERED: ReadonlySet<string> = new Set([
  "cli/flags.ts",
  "coding/codeRules.ts",
  "files/writers/xlsx.ts",
  "frames/exactJson.ts",
  "frames/polarsPlan.ts",
  "kernel/cells/cellPositions.ts",
  "notebook/report/safeHtml.ts",
  "speeches/bills.ts",
  "speeches/judge/captionLine.ts",
  "speeches/searchReader.ts",
  "text/read/captions.ts",
  "text/read/pattern.ts",
  "text/read/pattern.ts",
  "text/read/tokens.ts",
]);

/** Characters per text: enough to expose quadratic time. */
const SIZE = LONG ? 50_000 : 8_000;

const regexes = sourceRegexes();

/** Expressions that modules construct from constants when they are loaded, in a process of its own: others share these modules. */
async function constructedExpressions(): Promise<RegExp[]> {
  const code = `
    const found = [];
    const construct = (target, given) => (found.push(given), new target(...given));
    globalThis.RegExp = new Proxy(RegExp, { construct });
    for (const file of ${JSON.stringify([...COVERED])}) await import(${JSON.stringify(`${ROOT}/src/`)} + file);
    console.log(JSON.stringify(found));`;
  const hook = join(ROOT, "test/tools/typescript.mjs");
  const { stdout, stderr } = await runProcess(
    process.execPath,
    ["--import", hook, "--input-type=module", "--eval", code],
    { cwd: ROOT, onStart: endWithTests },
  );
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as Array<[string, string?]>).map((given) => new RegExp(...given));
}

/** Without an unbounded quantifier, each match attempt takes constant time. Only the long form tests these. */
function isBounded({ source }: RegExp): boolean {
  return !/[*+]|\{\d*,\}/.test(source.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, ""));
}

describe("a regular expression in the sources", () => {
  const literals = regexes.flatMap(({ file, text, regex }) => (regex === undefined ? [] : [{ file, text, regex }]));
  const isExempt = (file: string, text: string) =>
    NOT_HOSTILE.some(([exempt, literal]) => exempt === file && literal === text);

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
      // In `npm test`, a third of the texts.
      (size) => hostileTextsFor(regex, size).filter((_one, at) => FULL || at % 3 === 0),
      SIZE,
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

  it.runIf(LONG)("is linear by proof, as far as recheck knows its syntax", async () => {
    const constructed = await constructedExpressions();
    expect(constructed.length).toBeGreaterThanOrEqual(10);
    vi.stubEnv("RECHECK_BACKEND", "pure");
    const open = literals.filter(({ file, text, regex }) => !isExempt(file, text) && !isBounded(regex));
    const all = new Map([...open.map(({ regex }) => regex), ...constructed].map((regex) => [String(regex), regex]));
    // What it cannot tell in this time, and lookarounds, are left to the tests above.
    const timeout = 5000;
    const slow = [...all.values()].filter(
      ({ source, flags }) => checkSync(source, flags, { checker: "automaton", timeout }).status === "vulnerable",
    );
    vi.unstubAllEnvs();
    expect(slow.map(String)).toEqual([]);
  });

  it("constructed at run time is covered by a loop", () => {
    const missing = regexes.filter(
      ({ file, text, regex }) => regex === undefined && !COVERED.has(file) && !isExempt(file, text),
    );
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it("that is exempt exists", () => {
    const stale = NOT_HOSTILE.filter(
      ([file, literal]) => !regexes.some((one) => one.file === file && one.text === literal),
    );
    expect(stale).toEqual([]);
  });
});

it("nothing in cli bypasses print.ts", () => {
  const others = sourceFiles().filter((path) => path.startsWith("cli/") && path !== "cli/print.ts");
  expect(others.length).toBeGreaterThan(8);
  // Templates of programs for users print with the console.
  const codeOf = (name: string) => readFileSync(join(ROOT, "src", name), "utf8").replace(/`[^`]*`/g, "``");
  for (const name of others) expect(codeOf(name), name).not.toMatch(/process\.std(?:out|err)|console\./);
});

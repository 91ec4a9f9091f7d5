import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { checkedBlock } from "./checkedBlock.js";
import { type CodeBlock, codeBlocks, markdownFiles, ROOT, readText } from "./markdown.js";
import { runExamples } from "./runExamples.js";

interface Example extends CodeBlock {
  readonly file: string;
}

const examples: Example[] = markdownFiles().flatMap((file) =>
  codeBlocks(readText(file), "ts").map((block) => ({ ...block, file })),
);

/** Examples whose results are not what their comments say. */
const WRONG = [
  ["is different", "const two = 1 + 1; //=> 3", "line 1: 2, not 3"],
  ["is never reached", "if (Math.random() > 2) {\n  Math.abs(-1); //=> 1\n}", "line 2 was not reached"],
] as const;

/** A project with the package, and the working directory of the examples. */
const directory = temporaryFolder();

/** What each example printed on stderr. */
let printed: readonly string[];
beforeAll(async () => {
  if (!existsSync(join(ROOT, "dist/index.js")))
    throw new Error("the examples need the built package. Run: npm run build");
  printed = await runExamples(
    directory,
    [...examples, ...WRONG.map(([, code]) => ({ code }))].map(({ code }) => checkedBlock(code)),
  );
});

describe("the examples of the Markdown files", () => {
  it("exist", () => {
    expect(examples.filter(({ file }) => file === "README.md").length).toBeGreaterThan(2);
  });

  it.each(examples.map((example, at) => ({ ...example, at })))(
    "$file, line $line, runs and returns what its comments say",
    ({ at }) => {
      expect(printed[at]?.replace(/^archive-frames: .*\n/gm, "")).toBe("");
    },
  );

  it.each(WRONG.map(([how, , problem], at) => [how, problem, examples.length + at] as const))(
    "would fail if a result %s",
    (_how, problem, at) => {
      expect(printed[at]).toContain(problem);
    },
  );

  it("would fail if a result cannot be checked", () => {
    expect(() => checkedBlock("Math.random(); //=> a number")).toThrow(/is not a literal/);
    expect(() => checkedBlock("//=> 1")).toThrow(/follows no statement/);
  });

  it("leave the README short enough to be read, in lines that fit beside code", () => {
    expect(readText("README.md").length).toBeLessThanOrEqual(13_000);
    expect(
      readText("README.md")
        .split("\n")
        .filter((line) => line.length > 120),
    ).toEqual([]);
  });
});
